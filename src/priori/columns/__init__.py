"""Families of the columns of a table, class by class: how cells are counted, and what the counts say of new ones."""
