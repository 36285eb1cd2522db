"""Projects with a catalog filled by hand, for tests of what only reads one."""
