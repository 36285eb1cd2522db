"""The files of ``docker/``, as tests read them."""
