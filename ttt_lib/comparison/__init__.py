"""All players side by side: one exact matrix, what it costs, and what each idea adds.

``matrix`` computes the matches on 3x3, ``runs`` makes what is stored (larger boards, the cost of a
move), ``results`` reads it, ``ideas`` tells what each idea adds, and ``figures`` draws all this.

Below ``ttt_lib.people`` and the command line, only this package and ``ttt_lib.catalog`` import from
several documents' packages; notebook 06 and the manifests of data and figures build on it.
"""
