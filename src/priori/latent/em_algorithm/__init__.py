"""EM over rows with hidden classes."""
