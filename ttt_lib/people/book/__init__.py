"""The book (``make book``), and the lessons that it holds (``make slides``).

- ``site``: builds it; ``pages``: those that are computed; ``players``: for the book's scripts
- ``lessons``, with the numbers that they state (``lesson_facts``), and ``slides``
"""
