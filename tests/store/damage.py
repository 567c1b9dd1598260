"""Damages a model file in many ways and reads each result: `python damage.py SEED COUNT FOLDER`.

It runs as a process of its own, so that a crash of the reader is seen as one. The file read last stays in the folder.
Each damaged file must be refused. One whose checksums were repaired ("hostile but consistent") may also be accepted,
but then pyarrow must accept it too, after its full validation, and read the same.
"""

import hashlib
import json
import random
import struct
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import pyarrow as pa
from contents import SCHEMAS, equal, small_model

from priori import store
from priori.errors import ModelFileError

EXTREMES = [0, 1, 2, 7, 8, -1, -8, 2**15, 2**31 - 1, -(2**31), 2**32, 2**40, 2**62, 2**63 - 1, -(2**63)]
TEXTS = [
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"1" * 5_000,
    b"9223372036854775808",
    b"NaN",
    b"1e999",
    b'"\\ud800"',
    b'"\xff"',
    b'{"a":1,"a":2}',
    b'{"b":1,"a":2}',
    b"[1, 2]",
    b"",
    b"null ",
    b"[" * 65 + b"]" * 65,
]
HEADER_VALUES = [
    -1,
    0,
    1,
    63,
    64,
    2**31,
    2**62,
    2**63 - 1,
    2**64,
    1.0,
    0.5,
    True,
    None,
    "",
    "terms",
    "../x",
    "A",
    [],
    {},
]


def split(data: bytes) -> tuple[list[dict[str, object]], list[bytes]]:
    """The header's entries and the sections of an intact file."""
    (length,) = struct.unpack_from("<I", data, 12)
    entries = json.loads(data[48 : 48 + length])["sections"]
    base = -(-(48 + length) // 64) * 64
    return entries, [data[base + e["offset"] : base + e["offset"] + e["length"]] for e in entries]


def with_header(header: bytes, body: bytes) -> bytes:
    """A file with any header, rightly measured and checksummed."""
    start = b"\x89PRI\r\n\x1a\n" + struct.pack("<II", 1, len(header)) + hashlib.sha256(header).digest() + header
    return start + bytes(-len(start) % 64) + body


def join(entries: list[dict[str, object]], sections: list[bytes], lie=lambda entries: entries) -> bytes:
    """A file of any sections with right checksums, whose header may then be changed before it is checksummed."""
    body, told = b"", []
    for entry, section in zip(entries, sections, strict=True):
        body += bytes(-len(body) % 64)
        told.append(
            {**entry, "offset": len(body), "length": len(section), "sha256": hashlib.sha256(section).hexdigest()}
        )
        body += section
    header = json.dumps({"sections": lie(told)}, sort_keys=True, separators=(",", ":")).encode()
    return with_header(header, body)


def mangle(data: bytes, rng: random.Random) -> bytes:
    """Some bytes, changed in one of the ways that bytes are changed."""
    result = bytearray(data)
    at = rng.randrange(len(data)) if data else 0
    kind = rng.randrange(9)
    if kind == 0 and data:
        result[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del result[at:]
    elif kind == 2:
        del result[at : at + rng.randrange(1, 65)]
    elif kind == 3:
        result[at:at] = rng.randbytes(rng.randrange(1, 65))
    elif kind == 4:
        size = rng.randrange(1, 65)
        result[at : at + size] = bytes(len(result[at : at + size]))
    elif kind == 5:
        other = rng.randrange(len(data)) if data else 0
        result[at : at + 8] = data[other : other + 8]
    elif kind == 6:
        result += rng.randbytes(rng.randrange(1, 65))
    else:  # a number in its place: offsets, lengths and counts are what a reader believes
        code = rng.choice(["<q", "<i", "<h"])
        width = struct.calcsize(code)
        number = rng.choice(EXTREMES) & (2 ** (8 * width) - 1)
        result[at // width * width : at // width * width + width] = number.to_bytes(width, "little")
    return bytes(result)


def lie(entries: list[dict[str, object]], rng: random.Random) -> list[dict[str, object]]:
    """A header that says something untrue."""
    told = [dict(entry) for entry in entries]
    entry = rng.choice(told)
    kind = rng.randrange(6)
    if kind == 0:
        rng.shuffle(told)
    elif kind == 1:
        told.append(dict(entry))
    elif kind == 2:
        told.remove(entry)
    elif kind == 3:
        del entry[rng.choice(list(entry))]
    elif kind == 4:
        entry["more"] = rng.choice(HEADER_VALUES)
    else:
        entry[rng.choice(list(entry))] = rng.choice(HEADER_VALUES)
    return told


def damage(data: bytes, rng: random.Random) -> tuple[str, bytes]:
    """What was done, and the file after it."""
    entries, sections = split(data)
    kind = rng.choice(["raw", "header", "arrow", "arrow", "arrow", "json", "spelling"])
    if kind == "raw":
        return kind, mangle(data, rng)
    if kind == "header":
        return kind, join(entries, sections, lambda told: lie(told, rng))
    if kind == "spelling":
        (length,) = struct.unpack_from("<I", data, 12)
        header = rng.choice([*TEXTS, mangle(data[48 : 48 + length], rng)])
        return kind, with_header(header, data[-(-(48 + length) // 64) * 64 :])
    which = rng.choice([i for i, entry in enumerate(entries) if entry["kind"] == kind])
    mutant = sections[which]
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        mutant = rng.choice(TEXTS) if kind == "json" and rng.random() < 0.3 else mangle(mutant, rng)
    return kind, join(entries, [mutant if i == which else section for i, section in enumerate(sections)])


def outcome(path: Path, schemas) -> str:
    """Read, and if that works ask pyarrow whether it reads the same."""
    try:
        found = store.read(path, schemas)
    except ModelFileError as error:
        assert "\n" not in str(error)
        assert str(error).startswith(repr(str(path)))
        return "refused"
    for entry, section in zip(*split(path.read_bytes()), strict=True):
        if entry["kind"] == "arrow":
            oracle = pa.ipc.open_stream(section).read_all()
            oracle.validate(full=True)
            assert oracle.to_pylist() == found[entry["name"]].to_arrow().to_pylist()
    return "same" if equal(found, small_model()) else "other"


def main(seed: int, count: int, folder: Path) -> None:
    """Damage, read, and tell what came of it."""
    path = folder / "damaged.priori"
    store.write(path, small_model())
    intact = path.read_bytes()
    tally: Counter[str] = Counter()
    peak = 0
    for number in range(count):
        rng = random.Random(seed * 1_000_003 + number)
        kind, data = damage(intact, rng)
        path.write_bytes(data)
        if number % 16 < 2:  # not every one, since measuring takes longer than reading
            tracemalloc.start()
        result = outcome(path, SCHEMAS if number % 2 else None)
        peak = max(peak, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        if data != intact and kind == "raw":
            assert result == "refused", f"damage {number} of seed {seed} was not noticed"
        tally[f"{kind} {result}"] += 1
    print(json.dumps({"tally": tally, "peak": peak}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
