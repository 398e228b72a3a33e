"""How published numbers are judged, results stored, and both kept true."""
