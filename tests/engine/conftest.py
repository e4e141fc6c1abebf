"""The same random graphs on every machine, and nothing left behind on the disk.

With THOROUGH=1 in the environment there are twenty times as many, others each time.
"""

import os

from hypothesis import settings

settings.register_profile("engine", derandomize=True, deadline=None, database=None)
settings.register_profile("thorough", derandomize=False, deadline=None, database=None)
settings.load_profile("thorough" if os.environ.get("THOROUGH") else "engine")
