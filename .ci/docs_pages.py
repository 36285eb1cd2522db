"""Makes of the repository's pages those of the site: what lies beside ``docs`` comes in, and links follow.

Called by MkDocs (``mkdocs.yml``). The pages themselves stay as they read in a checkout.
"""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
NOTEBOOK = Path("docs", "notebook.ipynb")
API = """\
# Library

`import profiling_core as hf` gives `hf.discover` and `hf.Dataset`; [a notebook](notebook.md) shows them.

::: profiling_core.pipeline.library.data_frames
    options: {members: [discover, Rules], show_root_heading: false}

::: profiling_core.pipeline.library.dataset
    options: {members: [Dataset, Constraints, Changes, Explained], show_root_heading: false}

# Airflow

[In your own Airflow](airflow.md) tells how these are used.

::: profiling_core.airflow.dataset_dags
    options: {members: [dags, check_dags], show_root_heading: false}

::: profiling_core.airflow.gate
    options: {members: [HoldfastGate], show_root_heading: false}

::: profiling_core.airflow.notifier
    options: {members: [HoldfastNotifier], show_root_heading: false}
"""
_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def on_files(files: Any, *, config: Any) -> Any:
    """Adds the pages that are no files of ``docs``."""
    from mkdocs.structure.files import File

    pages = {page: (ROOT / source).read_text("utf-8") for source, page in BESIDE.items()}
    pages |= {"api.md": API, "notebook.md": notebook((ROOT / NOTEBOOK).read_text("utf-8"))}
    for page, text in pages.items():
        source = next((name for name, made in BESIDE.items() if made == page), f"docs/{page}")
        files.append(File.generated(config, page, content=linked(text, Path(source))))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001 -- MkDocs' signature
    """Lets links out of ``docs`` lead to the pages that came in."""
    if page.file.generated_by:
        return markdown
    return linked(markdown, Path("docs", page.file.src_uri))


def linked(text: str, source: Path) -> str:
    """The text of a file of the repository with links as the site has them; those to no page become plain text."""
    here = "index.md" if source.name == "README.md" and len(source.parts) == 1 else ""
    depth = 0 if here or source.parts[0] != "docs" else len(source.parts) - 2

    def led(match: re.Match[str]) -> str:
        target = match[2]
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        found = (ROOT / source.parent / target).resolve()
        if not found.is_relative_to(ROOT):
            return match[0]
        path = found.relative_to(ROOT)
        up = "../" * depth
        if str(path) in BESIDE:
            return f"{match[1]}{up}{BESIDE[str(path)]}{match[3]}"
        if path == NOTEBOOK:
            return f"{match[1]}{up}notebook.md{match[3]}"
        if path.parts[0] != "docs":
            return "]"  # a file of the checkout
        within = Path(*path.parts[1:])
        if found.is_dir():
            within /= "README.md"
        return f"{match[1]}{up}{within}{match[3]}" if (ROOT / "docs" / within).exists() else "]"

    return _LINK.sub(led, text)


def notebook(text: str) -> str:
    """A notebook's cells as a page."""
    cells = []
    for cell in json.loads(text)["cells"]:
        body = "".join(cell["source"])
        cells.append(body if cell["cell_type"] == "markdown" else f"```python\n{body}\n```")
    return "\n\n".join(cells) + "\n"
