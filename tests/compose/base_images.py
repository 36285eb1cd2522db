"""The two images that the stack begins with: pulled, or made of Debian's packages where nothing can be pulled.

A made image has what ours uses of the published one: ``python`` with ``venv`` and ``pip`` here; PostgreSQL's entrypoint
with its password, its directory of first scripts, and its user there. Both take the machine's certificates and pip's
settings with them.
"""

import shutil
import subprocess
from pathlib import Path

from compose.engine import Engine, LackingError

PYTHON = "python:3.11-slim-bookworm"
POSTGRES = "postgres:17-bookworm"
_RELEASE = "bookworm"
_PACKAGES = {
    PYTHON: ("python3", "python3-venv", "python3-pip", "ca-certificates"),
    POSTGRES: ("postgresql", "gosu", "ca-certificates"),
}
_ENTRYPOINT = Path(__file__).with_name("postgres-entrypoint")
# What the published images leave out, too: documents, translations, and what apt has kept.
_LEFT_OUT = (
    *(f"usr/share/{name}" for name in ("doc", "info", "lintian", "locale", "man")),
    *(f"var/{name}" for name in ("cache/apt", "cache/debconf", "lib/apt/lists", "log")),
)
_CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")


def provide(engine: Engine, image: str, place: Path) -> None:
    """Sees to it that the engine has an image.

    Raises:
        LackingError: it can neither be pulled nor made.
    """
    if engine.docker("images", "--quiet", image).strip():
        return
    pulled = subprocess.run(
        ["docker", "pull", "--quiet", image],
        env=engine.environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    if pulled.returncode == 0:
        return
    if not shutil.which("debootstrap"):
        raise LackingError(
            f"{image} cannot be pulled ({pulled.stderr.strip()}), and debootstrap is not there to make it"
        )
    _make(engine, image, place / image.partition(":")[0])


def _make(engine: Engine, image: str, root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    packages = f"--include={','.join(_PACKAGES[image])}"
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", packages, _RELEASE, root],
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    if made.returncode:
        raise LackingError(f"debootstrap cannot make {image}: {made.stdout[-1000:]}")
    shutil.copy(Path("/") / _CERTIFICATES, root / _CERTIFICATES)
    (root / "etc/pip.conf").write_text(f"[global]\ncert = /{_CERTIFICATES}\n")
    changes = []
    if image == PYTHON:
        (root / "usr/bin/python").symlink_to("python3")
    else:
        shutil.copy(_ENTRYPOINT, root / "usr/local/bin")
        changes = [f'ENTRYPOINT ["{_ENTRYPOINT.name}"]']
    for folder in _LEFT_OUT:
        for left in (root / folder).glob("*"):
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
    options = [word for change in changes for word in ("--change", change)]
    command = ["docker", "import", *options, "-", image]
    with subprocess.Popen(["tar", "-C", root, "-c", "."], stdout=subprocess.PIPE) as archive:
        subprocess.run(
            command, env=engine.environment, stdin=archive.stdout, check=True, timeout=600, stdout=subprocess.DEVNULL
        )
    shutil.rmtree(root, ignore_errors=True)
