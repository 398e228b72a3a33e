"""What was measured of Ultimate's solver, search and training, beyond the document."""
