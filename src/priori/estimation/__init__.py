"""One distribution or regression at a time, by maximum likelihood, MAP and Bayes."""
