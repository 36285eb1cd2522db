"""How far the Spark jobs of this process are, by their tasks."""


def share_done() -> float | None:
    """The share of the running jobs' tasks that have ended; None where nothing runs, or a server does the work."""
    from pyspark import SparkContext

    context = SparkContext._active_spark_context  # noqa: SLF001 -- the session is another thread's
    if getattr(context, "_jsc", None) is None:  # none, or one that is being started or stopped
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
