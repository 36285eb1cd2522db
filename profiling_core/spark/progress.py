"""How far the Spark jobs of this process are, by their tasks."""

import sys


def share_done() -> float | None:
    """The share of the running jobs' tasks that have ended; None where nothing runs, or a server does the work."""
    # Not imported here: where another thread is just importing Spark, both would find half of it.
    spark = getattr(sys.modules.get("pyspark.core.context"), "SparkContext", None)
    context = getattr(spark, "_active_spark_context", None)  # the session is another thread's
    if context is None or getattr(context, "_jsc", None) is None:  # none, or one that is being started or stopped
        return None
    tracker = context.statusTracker()
    stages = [
        stage
        for job in tracker.getActiveJobsIds()
        if (told := tracker.getJobInfo(job))
        for stage_id in told.stageIds
        if (stage := tracker.getStageInfo(stage_id))
    ]
    tasks = sum(stage.numTasks for stage in stages)
    return sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else None
