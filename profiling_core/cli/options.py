"""Commands whose options stand in a dataclass: each field is an option, with its default."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, get_type_hints


def taking(options: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a command of a function whose last parameter is such a dataclass, all of whose fields have defaults.

    Typer reads a command's options from its signature, so the fields stand there in the parameter's place.
    """
    hints = get_type_hints(options, include_extras=True)
    own = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(options)
    ]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        *others, last = inspect.signature(function).parameters.values()

        @wraps(function)
        def command(**given: Any) -> None:
            asked = options(**{parameter.name: given.pop(parameter.name) for parameter in own})
            function(**given, **{last.name: asked})

        parameters = [*others, *own]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # inspect's own protocol
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return command

    return decorate
