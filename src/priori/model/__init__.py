"""p(y | x) from columns of any kind: learned, forgotten, merged, left out, evaluated, stored."""
