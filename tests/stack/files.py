"""The compose file with its variables put in as Compose does, and the Dockerfile as a list of instructions."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
DOCKER = REPOSITORY / "docker"
_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)(?::([-?])([^}]*))?\}")


def compose(environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The compose file, anchors and merges resolved, ``${NAME}``, ``${NAME:-default}`` and ``${NAME:?message}`` too.

    Without an environment each variable stands for its own name in small letters.
    """
    values = {name: name.lower() for name in variables()} if environment is None else environment
    return _interpolated(yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8")), values)


def variables() -> set[str]:
    """The names of the variables that the compose file takes from its environment."""
    return {match[1] for match in _VARIABLE.finditer((DOCKER / "compose.yaml").read_text("utf-8"))}


def env_file(path: Path) -> dict[str, str]:
    """Names and values of a file of ``NAME=value`` lines."""
    lines = path.read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def image_environment() -> dict[str, str]:
    """The variables that the image sets."""
    pairs = (pair for name, arguments in instructions() if name == "ENV" for pair in arguments.split())
    return dict(pair.split("=", 1) for pair in pairs)


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions: name and arguments, continuation lines joined, comments dropped."""
    lines = [line for line in (DOCKER / "Dockerfile").read_text("utf-8").splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    pairs = (line.split(None, 1) for line in joined.splitlines() if line.strip())
    return [(name, arguments) for name, arguments in pairs]


def _interpolated(node: Any, environment: Mapping[str, str]) -> Any:
    if isinstance(node, dict):
        return {key: _interpolated(value, environment) for key, value in node.items()}
    if isinstance(node, list):
        return [_interpolated(value, environment) for value in node]
    if isinstance(node, str):
        return _VARIABLE.sub(lambda match: _value(match, environment), node)
    return node


def _value(match: re.Match[str], environment: Mapping[str, str]) -> str:
    name, kind, text = match.groups()
    if environment.get(name):
        return environment[name]
    if kind != "-":
        raise KeyError(f"{name}: {text or 'not set'}")
    return text
