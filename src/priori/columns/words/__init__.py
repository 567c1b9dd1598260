"""The column of words: counted in one pass, read by an event model, scored by the compiled core."""
