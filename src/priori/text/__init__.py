"""From bytes to features: words, n-grams and characters."""
