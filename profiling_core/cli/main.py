"""``holdfast``: the command, put together from its sub-commands.

Each sub-command is one line in ``COMMANDS``, with its help beside it, and its module is imported when it is run: help
starts fast, and no command pays for what another one imports. A module offers either a function with typer's
annotations or a whole ``typer.Typer``.
"""

import gc
import importlib
import sys
from difflib import get_close_matches
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from profiling_core.cli.compiling import tell_of_compiling
from profiling_core.cli.ending import ending
from profiling_core.cli.failures import system_failures_told
from profiling_core.model.errors import HoldfastError
from profiling_core.model.extras import missing_extras_told
from profiling_core.spark.failures import spark_failures_told

EXIT_BAD_INPUT = 2
EXIT_MISTAKE = 70  # EX_SOFTWARE of sysexits.h
_COLLECT_AFTER = 100_000
"""New objects before Python looks for cycles among them; modules bring tens of thousands that stay, and no cycles."""


class Entry(NamedTuple):
    """A sub-command: its name, where its function or app is, one line of help, where its click settings are."""

    name: str
    where: str
    help: str
    settings: str = ""


COMMANDS = (
    Entry(
        "discover", "profiling_core.cli.discover:discover", "Find the constraints of files; no state is needed or kept."
    ),
    Entry("init", "profiling_core.cli.init:init", "Look at tables, and write a first configuration."),
    Entry("apply", "profiling_core.cli.dataset:apply", "Apply pending deltas to a dataset, and say what changed."),
    Entry("status", "profiling_core.cli.status:status", "Show datasets, their versions and what is pending."),
    Entry("constraints", "profiling_core.cli.dataset:constraints", "Show the constraints that a dataset lives by."),
    Entry("columns", "profiling_core.cli.columns:columns", "Show what the columns of a dataset are for, and why."),
    Entry("joins", "profiling_core.cli.joins:joins", "Show which tables refer to which: a list, JSON or a picture."),
    Entry("diff", "profiling_core.cli.dataset:diff", "Show what a version changed."),
    Entry("explain", "profiling_core.cli.dataset:explain", "Show a constraint's history, and the rows that break it."),
    Entry("incidents", "profiling_core.cli.incidents:app", "Show what is wrong now, and say what is done about it."),
    Entry("deliver", "profiling_core.cli.deliver:deliver", "Send the messages that wait for their channels."),
    Entry("release", "profiling_core.cli.dataset:release", "Apply rows that were set aside."),
    Entry("suite", "profiling_core.cli.suite:suite", "Print a suite for Great Expectations, in the SQL of a database."),
    Entry("export", "profiling_core.cli.suite:export", "Write what holds for other tools: ODCS, dbt, Airflow."),
    Entry("contract", "profiling_core.cli.contract:app", "Follow the rules of a data contract, or of a suite."),
    Entry("audit", "profiling_core.cli.audit:audit", "Execute all suites, and count every figure again."),
    Entry("pin", "profiling_core.cli.decisions:pin", "Follow a constraint whatever its rank."),
    Entry("mute", "profiling_core.cli.decisions:mute", "Send no alerts about a constraint, for a while or for good."),
    Entry("accept", "profiling_core.cli.decisions:accept", "Accept a constraint with the error that it has now."),
    Entry(
        "reject", "profiling_core.cli.decisions:reject", "Mark a constraint as a coincidence; it is followed no more."
    ),
    Entry("note", "profiling_core.cli.decisions:note", "Leave a note on a constraint."),
    Entry("decisions", "profiling_core.cli.decisions:decisions", "List what people have decided."),
    Entry(
        "rebuild", "profiling_core.cli.dataset:rebuild", "Discover from scratch, or compare with the maintained state."
    ),
    Entry("warm", "profiling_core.cli.warm:warm", "Compile ahead what the first commands would wait for."),
    Entry("fsck", "profiling_core.cli.keeping:fsck", "Check catalog and every file; make the catalog again."),
    Entry("gc", "profiling_core.cli.keeping:gc", "Remove files that nothing needs any more."),
    Entry("backup", "profiling_core.cli.keeping:backup", "Copy datasets with all their versions to a directory."),
    Entry("restore", "profiling_core.cli.keeping:restore", "Bring datasets back from a backup."),
    Entry("landing", "profiling_core.cli.landing:app", "Write landing files from public data."),
    Entry("demo", "profiling_core.cli.demo:demo", "Walk six days of flights through a real Airflow, and report."),
    Entry("up", "profiling_core.cli.up:up", "Start Airflow with its UI on this machine, until Ctrl-C."),
    Entry("version", "profiling_core.cli.main:version", "Print the version."),
    Entry(
        "airflow",
        "profiling_core.cli.up:airflow",
        "Run an Airflow command in this project.",
        settings="profiling_core.cli.up:PASS_THROUGH",
    ),
)


def _imported(where: str) -> Any:
    module, name = where.split(":")
    return getattr(importlib.import_module(module), name)


def _command(entry: Entry) -> Any:
    """The click command of an entry, with its module imported."""
    found = _imported(entry.where)
    if isinstance(found, typer.Typer):
        command: Any = get_group(found)
    else:
        single = typer.Typer(add_completion=False)
        single.command(entry.name, context_settings=_imported(entry.settings) if entry.settings else None)(found)
        command = get_command(single)
    command.name = entry.name
    return command


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and help, and imports the one that is run."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 -- click's signature
        """The names, in the order of the list above."""
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 -- click's signature
        """A command to show in the help, not to run: name and help alone."""
        for entry in COMMANDS:
            if entry.name == cmd_name:
                return TyperCommand(entry.name, help=entry.help)
        return None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command to run; a name that there is none for ends in a message with the one that looks alike."""
        alike = get_close_matches(args[0], [entry.name for entry in COMMANDS], 1)
        if alike and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {alike[0]!r}?")
        name, command, rest = super().resolve_command(ctx, args)
        for entry in COMMANDS:
            if entry.name == name:
                return name, _command(entry), rest
        return name, command, rest


app = typer.Typer(
    name="holdfast",
    cls=LazyGroup,
    no_args_is_help=True,
    help="Discovers the constraints that tables live by, keeps them current from each delta, and says what broke.",
)


@app.callback(invoke_without_command=True)
def _holdfast(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    """What holds before any sub-command."""
    if show_version:
        version()
        raise typer.Exit


def version() -> None:
    """Print the version."""
    from importlib.metadata import version as installed

    typer.echo(f"holdfast {installed('holdfast')}")


def process() -> None:
    """Run the command line as a process of its own, which ends when the command has said its last word."""
    ending(main)


def main() -> None:
    """Run the command line; a problem that a person can mend ends as its message, with exit code 2."""
    gc.set_threshold(_COLLECT_AFTER)
    tell_of_compiling()
    try:
        with system_failures_told(), spark_failures_told(), missing_extras_told():
            get_command(app).main(prog_name="holdfast")
    except HoldfastError as error:
        from profiling_core.alert.text_table import visible

        # line by line: what, where and what to do stand on lines of their own
        typer.echo("\n".join(visible(line) for line in f"holdfast: {error}".split("\n")), err=True)
        sys.exit(EXIT_BAD_INPUT)
    except MemoryError:
        typer.echo("holdfast: there is not enough memory for this\n  what to do: leave columns or rows out", err=True)
        sys.exit(EXIT_BAD_INPUT)
    except Exception as error:  # noqa: BLE001 -- whatever nobody foresaw ends in words too
        _tell_of_mistake(error)
        sys.exit(EXIT_MISTAKE)


def _tell_of_mistake(error: Exception) -> None:
    """Says that the program itself is wrong, and writes where it happened into a file of the user's alone."""
    import tempfile
    import traceback

    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="holdfast-", suffix=".log", delete=False, encoding="utf-8"
        ) as file:
            file.write("".join(traceback.format_exception(error)))
        where = file.name
    except OSError as refused:  # a full disk, which may be what went wrong
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename}, line {last.lineno} (no file could be written: {refused})"
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    for line in (
        f"holdfast: this is a mistake in Holdfast itself ({what})",
        f"  where: {where}",
        "  what to do: try again; if it comes again, report it with what stands there",
    ):
        typer.echo(line, err=True)


if __name__ == "__main__":
    main()
