"""Where compiled kernels are kept between processes, and when they are stale.

Numba's own cache asks for a directory that can be written before it reads one, and loads every part of Numba before it
loads a kernel: half a second of processor time in each process. Here code is read wherever there is some, such as in an
image that nobody may write to, and kept in the first place that takes it.
"""

import hashlib
import logging
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from llvmlite.binding import parse_assembly, parse_bitcode
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime.nrt import rtsys

LOG = logging.getLogger("profiling_core.kernels")
"""Told at level INFO of each kernel that has to be compiled, and warned where code cannot be kept."""
# Types of values of another module that compiled code keeps as they were when it was compiled.
_CONSTANTS = (bool, int, float, str, tuple, np.generic)


class _File(IndexDataCacheFile):  # type: ignore[misc]  # comes without types
    """Numba's files, read without importing the modules that compiled code came from."""

    def _load_index(self) -> dict[Any, str]:
        """The entries; none where they speak of what the program does not have any more, so that they are stale."""
        try:
            return dict(super()._load_index())
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            return {}

    def _load_data(self, name: str) -> Any:
        with Path(self._data_path(name)).open("rb") as stream:
            return _Unpickler(stream).load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: list[object], name: str) -> Environment:
    """What compiled code finds its constants in. Its globals are for code that calls the interpreter: ours never does.

    Numba imports the module for them, which for its array functions takes longer than all else that a kernel needs.
    """
    found = lookup_environment(name)
    if found is None:
        found = Environment(vars(sys.modules[module]) if module in sys.modules else {"__name__": module})
        found.consts[:] = constants
        found.env_name = name
        Environment._memo[name] = found  # noqa: SLF001  # as Numba does
    return found


class _Serialised(CompileResultCacheImpl):  # type: ignore[misc]  # comes without types
    """Numba's form of compiled code on disk, without its search for a place."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._lineno = function.__code__.co_firstlineno

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The code as it runs. Its bitcode is for code that is compiled with it, so it is read when some is.

        Numba reads it at once, with the names of all that it defines: half of what it takes to load a kernel.
        """
        (name, kind, (machine_code, bitcode)), function, *rest = payload
        engine = target_context.codegen()._engine  # noqa: SLF001  # as Numba does
        engine._defined_symbols |= {function.llvm_func_name, function.llvm_cpython_wrapper_name}  # noqa: SLF001
        made = super().rebuild(target_context, ((name, kind, (machine_code, _empty_bitcode())), function, *rest))

        def module() -> Any:
            del made.library._get_module_for_linking  # noqa: SLF001
            made.library._shared_module = parse_bitcode(bitcode)  # noqa: SLF001
            engine._load_defined_symbols(made.library._shared_module)  # noqa: SLF001
            return made.library._shared_module  # noqa: SLF001

        made.library._get_module_for_linking = module  # noqa: SLF001
        return made


@lru_cache(maxsize=1)
def _empty_bitcode() -> bytes:
    return bytes(parse_assembly("").as_bitcode())


class KeptCode(FunctionCache):  # type: ignore[misc]  # as above
    """The compiled code of one kernel, one entry per signature and kind of processor.

    It is stale when its module changes, or one that it has kernels from, or a constant that they read: the code holds
    what it calls.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        self._name, self._py_func, self._impl = repr(function), function, _Serialised(function)
        self.enable()

    @property
    def cache_path(self) -> str:
        """The first place; Numba shows it."""
        return str(next(places(Path(self._py_func.__code__.co_filename))))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature, or None where it has to be compiled."""
        rtsys.initialize(target_context)
        found = self._load_overload(sig, target_context)
        if found is None:
            LOG.info("compiling %s", self._py_func.__qualname__)
        return found

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        key = self._index_key(sig, target_context.codegen())
        for file in self._files():
            payload = file.load(key)
            if payload is not None:
                return self._impl.rebuild(target_context, payload)
        return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        if not self._impl.check_cachable(data):
            return
        key, payload = self._index_key(sig, data.codegen), self._impl.reduce(data)
        for file in self._files(make=True):
            try:
                file.save(key, payload)
            except OSError:
                continue
            return
        _cannot_keep()

    def flush(self) -> None:
        """Forgets what is kept."""
        for file in self._files(make=True):
            file.flush()

    def _files(self, *, make: bool = False) -> Iterator[Any]:
        source = Path(self._py_func.__code__.co_filename)
        name = f"{source.stem}.{self._py_func.__qualname__}-{self._py_func.__code__.co_firstlineno}"
        stamp = _stamp_of(self._py_func.__globals__)
        for place in places(source):
            if _usable(place, make=make):
                yield _File(str(place), f"{name}.{sys.implementation.cache_tag}", stamp)


def places(source: Path) -> Iterator[Path]:
    """Where the code of a module's kernels may be, the first choice first.

    ``NUMBA_CACHE_DIR`` where it is set, beside the source, the user's cache directory, a temporary one of the user's.
    """
    below = f"{source.parent.name}-{hashlib.sha256(os.fsencode(source.parent)).hexdigest()[:16]}"
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR, below)
    yield source.parent / "__pycache__"
    cache = os.environ.get("XDG_CACHE_HOME")
    yield (Path(cache) if cache else Path(os.path.expanduser("~"), ".cache")) / "holdfast" / "kernels" / below  # noqa: PTH111  # Path.home() raises where there is none
    yield Path(tempfile.gettempdir(), f"holdfast-kernels-{os.getuid()}", below)


def _usable(place: Path, *, make: bool) -> bool:
    """Whether code may be read there, or with ``make`` be put there.

    Code of a directory that others can write to would run as ours.
    """
    try:
        if make:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept, above = place.stat(), place.parent.stat()
    except OSError:
        return False
    return stat.S_ISDIR(kept.st_mode) and all(
        found.st_uid in {0, os.getuid()} and not found.st_mode & stat.S_IWOTH for found in (kept, above)
    )


@lru_cache(maxsize=1)
def _cannot_keep() -> None:
    LOG.warning(
        "No directory can keep compiled code (tried beside the program, ~/.cache and %s), so every run compiles anew. "
        "Let XDG_CACHE_HOME or NUMBA_CACHE_DIR name a directory that can be written.",
        tempfile.gettempdir(),
    )


def _stamp_of(names: Mapping[str, Any]) -> str:
    """The stamp of the sources of a module and of those that it uses: code on disk has to have the same."""
    found = _stamps.get(names["__name__"])
    if found is None:
        seen: dict[str, str] = {}
        _gather(names, seen)
        found = hashlib.sha256(repr(sorted(seen.items())).encode()).hexdigest()
        _stamps[names["__name__"]] = found
    return found


_stamps: dict[str, str] = {}


def _gather(names: Mapping[str, Any], seen: dict[str, str]) -> None:
    module = names["__name__"]
    if module in seen:
        return
    used = dict(_used(names, module.partition(".")[0]))
    kernels = [value.py_func for value in used.values() if isinstance(value, Dispatcher)]
    read = {name for function in kernels if function.__module__ == module for name in _named(function.__code__)}
    constants = sorted(
        (name, repr(value))
        for name, value in used.items()
        if not isinstance(value, Dispatcher) and name.rpartition(".")[2] in read
    )
    source = hashlib.sha256(Path(names["__file__"]).read_bytes()).hexdigest()
    seen[module] = f"{source} {constants}"
    for value in used.values():
        if isinstance(value, Dispatcher):
            _gather(value.py_func.__globals__, seen)


def _named(code: CodeType) -> Iterator[str]:
    """The names that a function's code speaks of, with those of functions within it."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _named(inner)


def _used(names: Mapping[str, Any], package: str) -> Iterator[tuple[str, Any]]:
    """The kernels and constants that a module's code may use, by name."""
    for name, value in names.items():
        if isinstance(value, Dispatcher) or (isinstance(value, _CONSTANTS) and not name.startswith("__")):
            yield name, value
        elif isinstance(value, ModuleType) and value.__name__.partition(".")[0] == package:
            yield from ((f"{name}.{inner}", used) for inner, used in _used(vars(value), ""))
