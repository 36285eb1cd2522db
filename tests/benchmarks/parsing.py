"""What dataset files cost Airflow's DAG processor: ``python -m benchmarks.parsing``; ``make bench-parsing`` runs it.

Directories of 10, 50 and 200 dataset files of three tables each, parsed as Airflow does, in a fresh process each time.
"""

import shutil
import sys
from statistics import median

from helpers.many_datasets import dataset_file

from benchmarks import datasets
from benchmarks.pages import seconds, table, write_page
from benchmarks.processes import Measurement, measured

PROGRAM = datasets.REPOSITORY / "tests" / "airflow" / "parse_dags.py"
FILES = (10, 50, 200)
REPETITIONS = 3


def main() -> None:
    """Measures, writes the page, and says where it is."""
    runs = {number: [parsed(number) for _ in range(REPETITIONS)] for number in FILES}
    for number, measurements in runs.items():
        for run in measurements:
            if run.failed or run.report["errors"] or len(run.report["dags"]) != number:
                raise SystemExit(f"{number} files could not be parsed: {run.failed or run.report['errors']}")
    intro = (
        "Dataset files of three tables, each a DAG, parsed by Airflow's DagBag in a fresh process: medians of"
        f" {REPETITIONS}. Parsing is what the DAG processor repeats; the process adds the start of Airflow itself."
    )
    header = ("dataset files", "parsing: clock", "CPU", "process: CPU", "MiB")
    parts = [intro, table(header, (_row(*run) for run in runs.items()))]
    out = datasets.REPOSITORY / "docs" / "benchmarks" / "parsing.md"
    write_page(out, "Dataset files as DAGs", "make bench-parsing", parts)
    sys.stderr.write(f"{out}\n")


def parsed(number: int) -> Measurement:
    """What parsing a number of dataset files took; the report is that of ``parse_dags.py``."""
    from profiling_core.cli.airflow_environment import environment
    from profiling_core.state.settings import Settings

    root = datasets.WORK / "parsing"
    shutil.rmtree(root, ignore_errors=True)
    files = root / "datasets"
    files.mkdir(parents=True)
    for name in (f"dataset{index:03}" for index in range(number)):
        (files / f"{name}.yaml").write_text(dataset_file(name), "utf-8")
    settings = Settings(datasets.REPOSITORY, root / "home", f"sqlite:///{root}/catalog.db", files)
    command = [sys.executable, PROGRAM, datasets.REPOSITORY / "dags"]
    return measured(command, environment=environment(settings))


def _row(number: int, runs: list[Measurement]) -> tuple[object, ...]:
    clock, processor = (median(run.report["seconds"][kind] for run in runs) for kind in ("wall", "processor"))
    process, peak = median(run.cpu for run in runs), max(run.peak for run in runs)
    return number, seconds(clock), seconds(processor), seconds(process), f"{peak:.0f}"


if __name__ == "__main__":
    main()
