"""Special functions and symmetric matrices."""
