"""Forty short messages with an author each, as a table."""

import csv

_SPAM = ("win", "free", "cash", "prize", "claim", "call", "urgent", "phone")
_HAM = ("lunch", "noon", "home", "meeting", "report", "see", "you", "late")
# Every message has two words of its class, one that depends on its author, and one of the other class.
MAIL = [
    (f"{own[i % 8]} {own[(3 * i + 1) % 8]} {own[(i // 8) % 8]} a{i % 10} {other[(5 * i) % 8]}", label, f"a{i % 10}")
    for label, own, other in (("spam", _SPAM, _HAM), ("ham", _HAM, _SPAM))
    for i in range(20)
]


def write_mail(path, rows=MAIL):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label", "author"), *rows])
