"""Holdfast's plugin, where the library is on the path and not installed; else its entry point brings the plugin."""

from importlib.metadata import entry_points

if not entry_points(group="airflow.plugins", name="holdfast"):
    from profiling_core.airflow.plugin import HoldfastPlugin  # noqa: F401 -- Airflow looks for it in this module
