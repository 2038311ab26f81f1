"""Gives one worker of a house a wrong clock (F13).

Python imports a module of this name before anything else, in every process whose path has this
folder. In the worker that is meant the interpreter begins once more, with a library between itself
and the kernel that moves the clock on the wall; the one that never goes back stays as it is. The
process remains the same, and so do its number and its pipes.
"""

import os
import sys

if os.environ.get("SAHRAT_NAME", "-") == os.environ.get("CHAOS_CLOCK_OF"):
    library = os.environ["CHAOS_CLOCK_LIBRARY"]
    if os.environ.get("LD_PRELOAD") != library:
        os.environ["LD_PRELOAD"] = library
        os.execv(sys.executable, sys.orig_argv)
