"""What all algorithms stand on: the kernel decorator, bit words, hash tables of masks."""
