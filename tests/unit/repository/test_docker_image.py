"""The Dockerfile, held to the project without an engine: linted, not root, complete, in step with the code."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from stack.files import DOCKER, REPOSITORY, compose, image_environment, instructions

from profiling_core.state.settings import Settings

BIN = Path(sys.executable).parent


def test_hadolint_finds_nothing():
    done = subprocess.run(
        [BIN / "hadolint", "Dockerfile"], cwd=DOCKER, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_image_does_not_run_as_root():
    users = [arguments for name, arguments in instructions() if name == "USER"]
    assert users
    assert all(user.isdecimal() and int(user) > 0 for user in users)
    last = [name for name, _ in instructions()].index("USER")
    assert "RUN" not in [name for name, _ in instructions()][last:]


def test_all_stages_start_from_one_pinned_image_of_the_oldest_supported_python():
    images = {arguments.split()[0] for name, arguments in instructions() if name == "FROM"}
    assert images == {"python:3.11-slim-bookworm"}
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"].startswith(">=3.11")


def test_what_is_copied_exists_and_is_not_ignored():
    allowed = [
        line[1:] for line in (DOCKER / "Dockerfile.dockerignore").read_text("utf-8").splitlines() if line[:1] == "!"
    ]
    sources = [
        source
        for name, arguments in instructions()
        if name == "COPY" and not arguments.startswith("--from")
        for source in arguments.split()[:-1]
    ]
    assert sources
    for source in sources:
        assert (REPOSITORY / source).exists(), source
        assert source in allowed, source
    assert sorted(allowed) == sorted(set(sources)), "the ignore file lets through what is not copied"


def test_the_image_holds_no_secret():
    set_here = " ".join(arguments for name, arguments in instructions() if name in ("ENV", "ARG"))
    assert not re.search(r"PASSWORD|SECRET|FERNET|TOKEN", set_here)


def test_tools_for_tests_stay_out_of_the_image(tmp_path):
    command = next(a for n, a in instructions() if n == "RUN" and "tools.txt" in a)
    listing = command.split("&&")[1].strip()
    assert listing.startswith("sed ")
    (tmp_path / "requirements.in").write_text((REPOSITORY / "requirements.in").read_text("utf-8"))
    subprocess.run(["bash", "-c", listing], cwd=tmp_path, check=True, timeout=20)
    tools = set((tmp_path / "tools.txt").read_text("utf-8").split())
    lock = (REPOSITORY / "requirements.lock").read_text("utf-8")
    locked = set(re.findall(r"^([A-Za-z0-9._-]+)==", lock, re.MULTILINE))
    assert {"pytest", "mypy", "ruff", "playwright"} <= tools
    assert {tool.lower() for tool in tools} <= locked
    needed = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert not tools & {re.split(r"[<>=\[]", requirement)[0] for requirement in needed}


def test_the_project_finds_its_places_inside_the_image():
    environment = image_environment()
    root = Path(environment["HOLDFAST_ROOT"])
    volumes = argument_of("VOLUME")
    assert str(root) == argument_of("WORKDIR", last=True)
    # Settings.discover wants a root that exists, and the image's exists in the image: state lies where it lies here.
    assert str(root / Settings.discover(REPOSITORY, {}).home.relative_to(REPOSITORY)) in volumes
    assert environment["AIRFLOW_HOME"] in volumes
    assert environment["AIRFLOW_CONFIG"] == f"{root}/airflow.cfg"


def test_volumes_of_the_stack_belong_to_the_user_of_the_image():
    made = next(arguments for name, arguments in instructions() if name == "RUN" and "useradd" in arguments)
    written = {
        volume.split(":")[1]
        for service in compose()["services"].values()
        for volume in service.get("volumes", [])
        if service["image"].startswith("holdfast") and not volume.endswith(":ro")
    }
    assert f"--uid {argument_of('USER')} " in made
    assert written == {"/app/.holdfast", "/var/lib/airflow"}
    assert all(path in made.split("install --directory")[1] for path in written)


def argument_of(instruction: str, *, last: bool = False) -> str:
    return [arguments for name, arguments in instructions() if name == instruction][-1 if last else 0]
