"""Who is measured, and with which command."""

import sys
from importlib.util import find_spec
from pathlib import Path

from measure import Contender

HERE = Path(__file__).parent
HASHING_SETTINGS = [(features, batch) for features in (2**18, 2**20) for batch in (1_000, 20_000)]


def script(name: str, *arguments: object) -> list[str]:
    """The command of one of our scripts."""
    return [sys.executable, str(HERE / name), *map(str, arguments)]


def training(name: str, source: Path, model: Path, ngrams: int = 1, jobs: int = 1, processors: int = 1) -> Contender:
    """Priori, from a TSV file to a saved model."""
    command = script("ours.py", "train", source, model, ngrams, jobs)
    return Contender(name, command, source.stat().st_size, processors=processors)


def classifying(name: str, source: Path, model: Path) -> Contender:
    """Priori, from a TSV file to labels."""
    return Contender(name, script("ours.py", "classify", source, model), source.stat().st_size)


def limits(source: Path) -> list[Contender]:
    """Counting words without learning anything, and reading without even that."""
    size, utf8 = source.stat().st_size, {"LC_ALL": "C.UTF-8"}
    return [
        Contender("wc -w", ["wc", "-w", str(source)], size, environment=utf8),
        Contender("cat", ["cat", str(source)], size),
    ]


def hashing(source: Path, features: int, batch: int) -> Contender:
    """HashingVectorizer and partial_fit at one setting."""
    name = f"hashing 2^{features.bit_length() - 1}, batches of {batch}"
    return Contender(name, script("peers.py", "hashing", source, features, batch), source.stat().st_size, reports=True)


def peers(folder: Path, classes: int) -> list[Contender]:
    """The others, on a part of the file; all sizes are those of the TSV, whatever the format."""
    tsv = folder / "peer.tsv"
    size = tsv.stat().st_size
    commands = {
        "CountVectorizer + MultinomialNB": ("counting", tsv),
        "CountVectorizer + MultinomialNB, bigrams": ("counting", tsv, 2),
        "fastText, one epoch": ("fasttext", folder / "peer.fasttext"),
        "Vowpal Wabbit, one pass": ("vw", folder / "peer.vw", classes),
    }
    return [Contender(name, script("peers.py", *command), size, reports=True) for name, command in commands.items()]


def starts(folder: Path) -> list[Contender]:
    """Cold starts: numpy as the yardstick, the import, one message with a small and a large model."""
    message = folder / "message.txt"

    def cold(model: Path) -> list[str]:
        if find_spec("priori.cli"):
            return [str(Path(sys.executable).with_name("priori")), "classify", str(model), str(message)]
        return script("ours.py", "message", model, message.read_text("utf-8").strip())

    return [
        Contender("import numpy", [sys.executable, "-c", "import numpy"]),
        Contender("import priori", [sys.executable, "-c", "import priori"]),
        Contender("one message, cold", cold(folder / "sms.priori")),
        Contender("one message, cold, large model", cold(folder / "unigrams.priori")),
    ]
