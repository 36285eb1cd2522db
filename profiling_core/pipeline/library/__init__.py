"""What ``import profiling_core as hf`` gives to programs and notebooks."""
