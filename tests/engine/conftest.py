"""The same random graphs on every machine, and nothing left behind on the disk."""

from hypothesis import settings

settings.register_profile("engine", derandomize=True, deadline=None, database=None)
settings.load_profile("engine")
