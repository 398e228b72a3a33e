"""Five ways to teach a machine Tic-Tac-Toe, reproduced, checked and explained.

The library behind the numbered notebooks.  One idea holds it together: a
*policy* maps a batch of boards to a batch of move distributions.  Evaluated on
every state of a finite game it is a table, and two tables give an exact match;
evaluated on running games it gives a simulated one.
"""

import os

# One thread is the default everywhere: it is faster on small arrays, and sums
# keep their order, so results repeat bit for bit.  Set before numpy loads BLAS;
# a value the user chose is left alone.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

__version__ = "0.1.0"
