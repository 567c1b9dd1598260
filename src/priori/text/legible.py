"""Terms as people read them: spaces at their ends can be seen, and marks of documents have names."""

_MARKS = {"\x02": "<s>", "\x03": "</s>"}  # of documents as runs of characters


def legible(term: str) -> str:
    """A term whose first and last spaces are drawn, for among characters they are what it is.

    >>> legible(" er "), legible("free entry")
    ('␣er␣', 'free entry')
    """
    bare = term.strip(" ")
    start = len(term) - len(term.lstrip(" "))
    drawn = "␣" * start + bare + "␣" * (len(term) - start - len(bare))
    for mark, name in _MARKS.items():
        drawn = drawn.replace(mark, name)
    return drawn
