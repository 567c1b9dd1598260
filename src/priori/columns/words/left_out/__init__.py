"""Documents as if they had never been learned: exact leave-one-out, of one, of copies, of groups, of folds."""
