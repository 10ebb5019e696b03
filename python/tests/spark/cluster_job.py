"""A driver of `local-cluster[2,1,1536]`, for `test_cluster.py`: `cluster_job.py known|kill-known|kill-links FOLDER`.

Prints one line of JSON. ARCHIVE is what the executors unpack as `shipped`; they have no other urisieve. The test's
own modules come as Python files.
"""

import glob
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), *filter(None, os.environ.get("DRIVER_PATH", "").split(os.pathsep))]

import pyspark  # noqa: E402

os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)

import crawls  # noqa: E402
import openers  # noqa: E402
import sessions  # noqa: E402
import truth  # noqa: E402
import watching  # noqa: E402
from urisieve.spark import distinct, extract, links  # noqa: E402

ROWS = int(os.environ.get("ROWS", 4000))


def started():
    settings = {"spark__executor__memory": "1g", "spark__executorEnv__NOTES": os.environ["NOTES"]}
    if os.environ["ARCHIVE"]:
        settings["spark__archives"] = os.environ["ARCHIVE"] + "#shipped"
        settings["spark__executorEnv__PYTHONPATH"] = "shipped"
    spark = sessions.session("local-cluster[2,1,1536]", **settings)
    for module in (openers, watching):
        spark.sparkContext.addPyFile(module.__file__)
    return spark


def executors():
    """The processes of executors that this driver's JVM has started."""
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        process = int(os.path.basename(folder))
        try:
            line = Path(folder, "cmdline").read_bytes()
            if b"CoarseGrainedExecutorBackend" in line and openers.parent(openers.parent(process)) == os.getpid():
                found.append(process)
        except OSError:
            continue
    return found


class Killer(threading.Thread):
    """Kills one executor when `ready` returns its number; notes whether a job was running."""

    def __init__(self, spark, ready, after=lambda: None):
        super().__init__(daemon=True)
        self.spark, self.ready, self.after = spark, ready, after
        self.during = False

    def run(self):
        while not (executor := self.ready()):
            time.sleep(0.02)
        os.kill(executor, signal.SIGKILL)
        self.during = bool(self.spark.sparkContext.statusTracker().getActiveJobsIds())
        self.after()


def lost(spark, before):
    return len([process for process in before if process not in executors()])


def known(spark, folder, partitions):
    texts = truth.Truth(ROWS)
    rows = list(enumerate(texts.texts()))
    path = str(Path(folder) / "texts")
    spark.createDataFrame(rows, "id int, text string").repartition(partitions).write.parquet(path)
    spark.conf.set("spark.sql.files.maxPartitionBytes", 1 + sum(map(os.path.getsize, glob.glob(path + "/*.parquet"))) // partitions)
    spark.conf.set("spark.sql.files.openCostInBytes", 0)
    return texts.spellings, spark.read.parquet(path)


def spellings(df):
    found = distinct(extract(df, "text", columns=["id"]), keep="first", order=["id"])
    return {row.uri: row.original for row in found.select("uri", "original").collect()}


def run_known(spark, folder):
    wanted, df = known(spark, folder, 4)
    places = {row.file for row in df.repartition(8).mapInArrow(watching.places, "file string").distinct().collect()}
    return {"same": spellings(df) == wanted, "distinct": len(wanted), "places": sorted(places)}


def run_kill_known(spark, folder):
    wanted, df = known(spark, folder, 40)
    before, tracker = executors(), spark.sparkContext.statusTracker()

    def ready():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        begun = [stage for stage in stages if stage and stage.numTasks >= 10 and 3 <= stage.numCompletedTasks < stage.numTasks - 3]
        return begun and before[0]

    killer = Killer(spark, ready)
    killer.start()
    same = spellings(df) == wanted
    return {"same": same, "killed_during": killer.during, "executors_lost": lost(spark, before)}


def run_kill_links(spark, folder):
    paths = crawls.write(Path(folder), 40)
    wanted = {tuple(row) for row in links(spark, paths, persist=False).links.collect()}
    before = executors()
    gate = Path(folder, "wait-" + os.path.basename(paths[25]))
    gate.touch()

    def ready():
        reached = glob.glob(f"{gate}-*.reached")
        # The file is there before its content.
        return reached and int(Path(reached[0]).read_text() or 0)

    killer = Killer(spark, ready, gate.unlink)
    killer.start()
    pairs, losses = links(spark, paths, opener=openers.gated)
    rows = [tuple(row) for row in pairs.collect()]
    same = set(rows) == wanted and len(rows) == len(wanted)
    return {
        "same": same, "pairs": len(rows), "losses": losses.count(),
        "killed_during": killer.during, "executors_lost": lost(spark, before),
    }


def main():
    name, folder = sys.argv[1:]
    spark = started()
    try:
        answer = {"known": run_known, "kill-known": run_kill_known, "kill-links": run_kill_links}[name](spark, folder)
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))
    sys.stdout.flush()
    spark.stop()


if __name__ == "__main__":
    main()
