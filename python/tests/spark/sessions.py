"""Sessions of Spark that are small and quiet."""

from pyspark.sql import SparkSession


def session(master, **settings):
    """Returns a session of `master`; settings have `__` in the place of dots."""
    plain = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    plain.update({name.replace("__", "."): value for name, value in settings.items()})
    builder = SparkSession.builder.master(master)
    for name, value in plain.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("ERROR")
    return started
