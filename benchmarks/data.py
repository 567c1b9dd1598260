"""The files of the benchmark: one TSV of real text, repeated to size, and the same rows as its peers want them.

Usage: data.py FOLDER BYTES PEER_BYTES

Text comes from the Parquet files (columns text, label) in the folder PRIORI_DATA, and the label is the name of the
file, so that there are few classes: the time of most peers grows with their number. Without PRIORI_DATA it is the
bundled SMS Spam Collection, spam or ham.
"""

import json
import os
import random
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from itertools import cycle
from pathlib import Path

Row = tuple[str, str]  # label, text without tabs and line ends

HEADER = "label\ttext\n"
_BREAKS = re.compile(r"[\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")  # whatever any of the readers takes for a line end


def corpus() -> tuple[str, list[Row]]:
    """Say which data it is, and give its rows in a random order that is always the same."""
    folder = os.environ.get("PRIORI_DATA")
    if folder:
        paths = [path for path in sorted(Path(folder).glob("*.parquet")) if _is_labelled(path)]
        names = f"the {len(paths)} files of PRIORI_DATA ({', '.join(path.stem for path in paths)}); label: the file"
        rows = [(path.stem, text) for path in paths for _, text in rows_of(path)]
    else:
        names = "the bundled SMS Spam Collection alone (PRIORI_DATA is not set); label: ham or spam"
        rows = rows_of(bundled())
    random.Random(1).shuffle(rows)
    return names, rows


def bundled() -> Path:
    """The data that comes with the package."""
    return Path(str(files("priori") / "data" / "samples" / "sms_spam.parquet"))


def rows_of(path: Path) -> list[Row]:
    """The labels and texts of a Parquet file."""
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["label", "text"])
    texts = map(one_line, table["text"].to_pylist())
    return list(zip(table["label"].to_pylist(), texts, strict=True))


def one_line(text: str) -> str:
    """Without tabs and line ends."""
    return _BREAKS.sub(" ", text)


def _is_labelled(path: Path) -> bool:
    import pyarrow.parquet as pq

    return {"text", "label"} <= set(pq.read_schema(path).names)


def take(rows: list[Row], size: int) -> Iterator[Row]:
    """Rows until their TSV has the size, from the beginning again when they are used up."""
    for label, text in cycle(rows):
        if size <= 0:
            return
        size -= len(label.encode()) + len(text.encode()) + 2
        yield label, text


def write_tsv(path: Path, rows: list[Row], size: int) -> None:
    """The file that everyone but the peers with a format of their own reads."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(HEADER)
        file.writelines(f"{label}\t{text}\n" for label, text in take(rows, size))


def write_fasttext(path: Path, rows: list[Row], size: int) -> None:
    """The same rows as fastText reads them."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"__label__{label} {text}\n" for label, text in take(rows, size))


def write_vw(path: Path, rows: list[Row], size: int) -> None:
    """The same rows as Vowpal Wabbit reads them: colons and bars have a meaning there."""
    number = {label: index for index, label in enumerate(sorted({label for label, _ in rows}), 1)}
    clean = str.maketrans({":": " ", "|": " "})
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{number[label]} | {text.translate(clean)}\n" for label, text in take(rows, size))


def repeat(source: Path, target: Path, size: int) -> None:
    """A TSV of another size, by repeating one, or by cutting it after a whole row."""
    with source.open("rb") as rows:
        body = rows.read(size)[len(HEADER) :]
    body = body[: body.rindex(b"\n") + 1]
    with target.open("wb") as file:
        file.write(HEADER.encode())
        for _ in range(max(1, round(size / len(body)))):
            file.write(body)


def main(folder: Path, size: int, peer_size: int) -> None:
    """Write all files, and what they are into corpus.json."""
    folder.mkdir(parents=True, exist_ok=True)
    names, rows = corpus()
    write_tsv(folder / "all.tsv", rows, size)
    write_tsv(folder / "tenth.tsv", rows, size // 10)
    write_tsv(folder / "hundredth.tsv", rows, size // 100)
    write_tsv(folder / "peer.tsv", rows, peer_size)
    write_fasttext(folder / "peer.fasttext", rows, peer_size)
    write_vw(folder / "peer.vw", rows, peer_size)
    messages = rows_of(bundled())
    write_tsv(folder / "sms.tsv", messages, sum(len(label) + len(text.encode()) + 2 for label, text in messages))
    (folder / "message.txt").write_text("Free entry! Text WIN to 80085 now to claim your prize\n", "utf-8")
    classes = len({label for label, _ in rows})
    distinct = sum(len(text.encode()) for _, text in rows)
    (folder / "corpus.json").write_text(json.dumps({"names": names, "classes": classes, "distinct_bytes": distinct}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
