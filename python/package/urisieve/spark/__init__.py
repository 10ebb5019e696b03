"""URIs and links on Spark: for more data than one machine reads in time.

Spark reads, shuffles and recovers; this package finds and canonicalizes inside `mapInArrow`. It needs pyspark
3.5 or 4, and the pandas and pyarrow that `mapInArrow` needs, on the driver and on every executor.

>>> from pyspark.sql import SparkSession
>>> spark = SparkSession.builder.getOrCreate()
>>> from urisieve.spark import distinct, extract
>>> logs = spark.createDataFrame([(1, "GET HTTP://A.example/"), (2, "http://a.example/")], "id int, line string")
>>> distinct(extract(logs, "line", columns=["id"]), keep="first", order=["id"]).select("uri", "original").collect()
[Row(uri='http://a.example/', original='HTTP://A.example/')]

`python -m urisieve.spark links MANIFEST OUT` is `links` for a manifest of Common Crawl.
"""

from .archives import LinkTables, links
from .findings import distinct, extract
from .texts import UriTables, uris

__all__ = ["LinkTables", "UriTables", "distinct", "extract", "links", "uris"]
