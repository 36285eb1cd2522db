"""The library under the product's name: ``import holdfast as hf`` is ``import profiling_core as hf``."""

import sys

import profiling_core

sys.modules[__name__] = profiling_core
