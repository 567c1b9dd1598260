"""Class-conditional families of a table's columns: p(x | class), read from one statistic per class."""
