"""Document 4: a zero-depth player on n^d boards, and its bias b.

Re-implemented from the description of Rao-mi/Tic_Tac_Toe (2023-24), whose
authors publish their questions with their program; nothing is copied from it.
"""
