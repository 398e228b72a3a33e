"""Functions that build, from the evidence, phrases as they should stand in the texts."""
