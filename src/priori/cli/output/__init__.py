"""How results are printed and written."""
