"""The commands that keep state: check it, collect what is not needed, back it up, restore it."""

import re
from datetime import timedelta
from typing import Annotated

import typer

from profiling_core.alert.figures import counted
from profiling_core.cli.common import AsJson, OfDataset, print_json, workspaces
from profiling_core.cli.tables import console, safe_text
from profiling_core.model.dataset import DAYS
from profiling_core.model.errors import InputError
from profiling_core.state.settings import Settings
from profiling_core.state.urls import without_secrets

EXIT_DAMAGED = 1
_Datasets = Annotated[list[str] | None, typer.Option("--dataset", "-d", help="Only this dataset; may be repeated.")]


def fsck(
    dataset: _Datasets = None,
    rebuild_catalog: Annotated[
        bool, typer.Option("--rebuild-catalog", help="Make the catalog again from the manifests beside the files.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check catalog, manifests and every file, and say what is damaged; exit code 1 where something is."""
    from profiling_core.pipeline import fsck as checking

    settings, out = Settings.discover(), console()
    if rebuild_catalog:
        made, aside = checking.rebuild_catalog(settings)
        for name, number in made.items():
            out.print(safe_text(f"{name}: version {number} is in the catalog again."))
        if aside:
            out.print(safe_text(f"The catalog that there was is now {aside}"), soft_wrap=True)
    found = checking.fsck(settings, dataset or ())
    if as_json:
        print_json(found.to_json())
    else:
        for damage in found.damage:
            out.print(safe_text(f"{damage.dataset or 'catalog'}: {damage.what}", "red"), soft_wrap=True)
            out.print(safe_text(f"  {damage.where}", "red"), soft_wrap=True)
        for remedy in dict.fromkeys(damage.remedy for damage in found.damage if damage.remedy):
            out.print(safe_text(f"What to do: {remedy}"), soft_wrap=True)
        what = f"{counted(found.versions, 'version')}, {counted(found.files, 'file')}, {found.size:,} bytes"
        verdict = f"{len(found.damage)} damaged" if found.damage else "all as they were written"
        out.print(f"{what}: {verdict}.", highlight=False)
    if found.damage:
        raise typer.Exit(EXIT_DAMAGED)


def gc(
    dataset: OfDataset = None,
    keep: Annotated[
        str | None, typer.Option(help="Remove the files of versions older than this, as 30d; their history stays.")
    ] = None,
) -> None:
    """Remove files that nothing needs: what ended runs left and, with --keep, what only old versions have."""
    from profiling_core.pipeline import keeping

    age = _days(keep) if keep else None
    for work in workspaces(dataset):
        removed = keeping.collect(work, age or work.config.keep)
        console().print(safe_text(f"{work.dataset}: {counted(removed.files, 'file')} removed, {removed.size:,} bytes."))


def _days(text: str) -> timedelta:
    if not re.fullmatch(DAYS, text):
        raise InputError(f"{text!r} is not a number of days", remedy="write it as 30d")
    return timedelta(days=int(text.removesuffix("d")))


def backup(
    directory: Annotated[
        str,
        typer.Argument(
            help="Where to: a directory, or s3://<bucket>/<path>; an earlier backup there is brought up to date."
        ),
    ],
    dataset: _Datasets = None,
) -> None:
    """Copy datasets with all their versions to a directory or an object store, proving each file; runs may go on."""
    from profiling_core.pipeline import backup as copying
    from profiling_core.pipeline.bucket import place_of

    made = copying.backup(Settings.discover(), place_of(directory), dataset or ())
    for name, number in made.items():
        console().print(safe_text(f"{name}: up to version {number} in {without_secrets(directory)}"))


def restore(
    directory: Annotated[str, typer.Argument(help="A directory or s3://<bucket>/<path> that `holdfast backup` wrote.")],
    dataset: _Datasets = None,
) -> None:
    """Bring datasets back from a backup into a home that does not have them."""
    from profiling_core.pipeline import backup as copying
    from profiling_core.pipeline.bucket import place_of

    made = copying.restore(Settings.discover(), place_of(directory), dataset or ())
    for name, number in made.items():
        console().print(safe_text(f"{name}: version {number} is back."))
