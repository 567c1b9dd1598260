"""The logger of the library: silent unless the application asks to hear it."""

import logging

logger = logging.getLogger("priori")
logger.addHandler(logging.NullHandler())
