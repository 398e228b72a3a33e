"""How results are stored, judged and shown."""
