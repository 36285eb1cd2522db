"""The processor that kernels are compiled for.

Numba compiles for the machine at hand, so that its code serves no other. Here the target is what most machines have in
common: AVX2 and what came with it (x86-64-v3), or the basis of 64-bit ARM. So code can be built once and travel with a
wheel or an image. Discovery of denial constraints was not slower for it on a machine with AVX-512.
"""

import platform

from llvmlite.binding import get_host_cpu_features
from numba.core import config

# Per architecture LLVM's name of the common processor, and the features that a machine has to have for its code.
_COMMON = {
    "x86_64": ("x86-64-v3", ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")),
    "aarch64": ("generic", ()),
}


def compile_for_common_processor() -> None:
    """Lets Numba compile for the common processor, where this machine can run its code and nobody named another.

    Has to be called before the first function is compiled. ``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES`` go first.
    """
    name, needed = _COMMON.get(platform.machine(), ("", ()))
    if not name or config.CPU_NAME is not None or config.CPU_FEATURES is not None:
        return
    has = get_host_cpu_features()
    if all(has.get(feature) for feature in needed):
        config.CPU_NAME, config.CPU_FEATURES = name, ""
