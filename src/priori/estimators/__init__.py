"""Models as scikit-learn's users hold them: X and y as they bring them."""
