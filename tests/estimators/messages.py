"""Five messages and three new ones."""

TEXTS = ["free entry now", "see you at lunch", "free free pizza", "lunch at noon?", "win now"]
LABELS = ["spam", "ham", "spam", "ham", "spam"]
NEW = ["free lunch now", "", "unheard of"]
