"""The people: games in a browser or at the terminal, exercises for a class, the book."""
