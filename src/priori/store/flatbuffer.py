"""Flatbuffers, in which Arrow spells its metadata: read with every step checked.

A table begins with the distance back to its vtable, which says where in the table each field lies (0: absent). All
other references are distances forward, to a table, a text or a vector. https://flatbuffers.dev/internals
"""

import struct
from collections.abc import Iterator

from priori.store.damage import NotCanonicalError

_UINT8, _UINT16, _INT16, _INT32, _INT64 = (struct.Struct(code) for code in ("<B", "<H", "<h", "<i", "<q"))
_PAIR = struct.Struct("<qq")
_MOST_FIELDS = 16  # more than any table of Arrow's has


class Metadata:
    """The bytes of one flatbuffer: none outside is read, and no more is read than there is.

    subtle: references only lead forward, but many may lead to one place, so a small file could be read as an enormous
    one. What is read is therefore charged against the length; honest metadata never say anything twice.
    """

    __slots__ = ("data", "left")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.left = len(data)

    def number(self, code: struct.Struct, at: int) -> int:
        """The number at an aligned place."""
        if at < 0 or at % code.size or at + code.size > len(self.data):
            raise invalid("a number lies outside its metadata")
        return int(code.unpack_from(self.data, at)[0])

    def charge(self, size: int) -> None:
        """Account for bytes that are read."""
        self.left -= size
        if self.left < 0:
            raise invalid("its metadata say something twice")

    def follow(self, at: int) -> int:
        """Where the reference at that place leads."""
        distance = self.number(_INT32, at)
        if distance <= 0:
            raise invalid("its metadata refer to themselves")
        return at + distance

    def root(self) -> "FlatTable":
        """The outermost table."""
        return FlatTable(self, self.follow(0))


class FlatTable:
    """One table; its fields are asked for by number, and are zero or None when absent."""

    __slots__ = ("at", "fields", "metadata")

    def __init__(self, metadata: Metadata, at: int) -> None:
        vtable = at - metadata.number(_INT32, at)
        size = metadata.number(_UINT16, vtable)
        if size < 4 or size % 2 or size > 4 + 2 * _MOST_FIELDS:
            raise invalid("a table of its metadata has no shape")
        metadata.charge(4)
        places = (metadata.number(_UINT16, place) for place in range(vtable + 4, vtable + size, 2))
        self.fields = {number: at + place for number, place in enumerate(places) if place}
        self.at = at
        self.metadata = metadata

    def has(self, *numbers: int) -> bool:
        """Whether any of these fields is there."""
        return any(number in self.fields for number in numbers)

    def uint8(self, number: int) -> int:
        """A field of 8 bits: a truth value or the kind of a union."""
        return self._number(_UINT8, number)

    def int16(self, number: int) -> int:
        """A field of 16 bits."""
        return self._number(_INT16, number)

    def int32(self, number: int) -> int:
        """A field of 32 bits."""
        return self._number(_INT32, number)

    def int64(self, number: int) -> int:
        """A field of 64 bits."""
        return self._number(_INT64, number)

    def table(self, number: int) -> "FlatTable":
        """A field that is a table and must be there."""
        return FlatTable(self.metadata, self._target(number))

    def text(self, number: int) -> str:
        """A field that is a text and must be there."""
        at = self._target(number)
        start, length = self._extent(at, 1)
        if start + length >= len(self.metadata.data) or self.metadata.data[start + length]:
            raise invalid("a name has no end")
        try:
            return self.metadata.data[start : start + length].decode("utf-8")
        except UnicodeDecodeError as error:
            raise invalid("a name is not UTF-8") from error

    def tables(self, number: int) -> "Iterator[FlatTable]":
        """A field that is a vector of tables; none when absent."""
        if number in self.fields:
            start, length = self._extent(self._target(number), 4)
            for at in range(start, start + length, 4):
                yield FlatTable(self.metadata, self.metadata.follow(at))

    def pairs(self, number: int) -> Iterator[tuple[int, int]]:
        """A field that is a vector of pairs of 64-bit numbers and must be there."""
        start, length = self._extent(self._target(number), _PAIR.size)
        if start % 8:
            raise invalid("a vector is out of line")
        return _PAIR.iter_unpack(self.metadata.data[start : start + length])

    def _number(self, code: struct.Struct, number: int) -> int:
        return self.metadata.number(code, self.fields[number]) if number in self.fields else 0

    def _target(self, number: int) -> int:
        if number not in self.fields:
            raise invalid("its metadata are incomplete")
        return self.metadata.follow(self.fields[number])

    def _extent(self, at: int, width: int) -> tuple[int, int]:
        """Where the items of a vector begin and how many bytes they are."""
        length = self.metadata.number(_INT32, at) * width
        if length < 0 or at + 4 + length > len(self.metadata.data):
            raise invalid("a vector goes beyond its metadata")
        self.metadata.charge(4 + length)
        return at + 4, length


def invalid(why: str) -> NotCanonicalError:
    """What to raise for bytes that are no Arrow at all."""
    return NotCanonicalError(f"it is not valid Arrow ({why})")
