"""A few rows as those of the Adult census table: numbers, categories with holes, codes."""

import csv

ADULT_COLUMNS = ("age", "workclass", "hours", "zip", "income")
ADULT = [
    (39, "State-gov", 40.0, "00501", "<=50K"),
    (50, "Self-emp", 13.5, "00544", "<=50K"),
    (38, "Private", 40.0, "00501", "<=50K"),
    (53, "?", 40.0, "10001", "<=50K"),
    (28, "Private", 40.0, "10001", ">50K"),
    (49, "Private", 16.0, "00501", "<=50K"),
    (52, "Self-emp", 45.0, "10001", ">50K"),
    (31, "Private", 50.5, "00544", ">50K"),
    (42, "?", 60.0, "10001", ">50K"),
]


def write(path, rows, columns=ADULT_COLUMNS):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
