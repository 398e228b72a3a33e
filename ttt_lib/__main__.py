"""``python -m ttt_lib`` is the command ``ttt``."""

import sys

from ttt_lib.cli import main

sys.exit(main())
