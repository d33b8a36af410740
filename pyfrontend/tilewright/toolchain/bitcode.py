"""Function names and parameter counts of an LLVM bitcode file, without LLVM.

Only the module's own records, its type table and its string table are decoded; function bodies are skipped by
their length words, so the 15 MB template library takes a fraction of a second. The layout is the documented
LLVM bitstream format (https://llvm.org/docs/BitCodeFormat.html), module version 2 (names in a string table).
"""

from __future__ import annotations

from dataclasses import dataclass, field

_END_BLOCK, _ENTER_SUBBLOCK, _DEFINE_ABBREV, _UNABBREV_RECORD = 0, 1, 2, 3
_BLOCKINFO, _MODULE, _TYPES, _STRTAB = 0, 8, 17, 23
_SETBID = 1
_TYPE_NUMENTRY, _TYPE_STRUCT_NAME, _TYPE_FUNCTION = 1, 19, 21
_MODULE_FUNCTION = 8
_STRTAB_BLOB = 1
_CHAR6 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"

#: An abbreviation operand: (kind, value) with kind literal, fixed, vbr, array, char6 or blob.
_Operand = tuple[str, int]
_Abbreviation = list[_Operand]
_ENCODINGS = {1: "fixed", 2: "vbr", 3: "array", 4: "char6", 5: "blob"}


@dataclass
class _Reader:
    data: bytes
    bit: int = 0
    names: bytes = b""
    parameters: list[int | None] = field(default_factory=lambda: list[int | None]())
    functions: list[tuple[int, int, int, bool]] = field(
        default_factory=lambda: list[tuple[int, int, int, bool]]()
    )
    shared: dict[int, list[_Abbreviation]] = field(default_factory=lambda: dict[int, list[_Abbreviation]]())

    def fixed(self, width: int) -> int:
        start = self.bit
        self.bit = start + width
        byte = start >> 3
        chunk = int.from_bytes(self.data[byte : byte + ((start & 7) + width + 7 >> 3)], "little")
        return chunk >> (start & 7) & (1 << width) - 1

    def vbr(self, width: int) -> int:
        result, shift, high = 0, 0, 1 << (width - 1)
        while True:
            piece = self.fixed(width)
            result |= (piece & (high - 1)) << shift
            if not piece & high:
                return result
            shift += width - 1

    def align(self) -> None:
        self.bit = (self.bit + 31) & ~31

    def abbreviation(self) -> _Abbreviation:
        operands = _Abbreviation()
        for _ in range(self.vbr(5)):
            if self.fixed(1):
                operands.append(("literal", self.vbr(8)))
                continue
            kind = _ENCODINGS[self.fixed(3)]
            operands.append((kind, self.vbr(5) if kind in ("fixed", "vbr") else 0))
        return operands

    def scalar(self, operand: _Operand) -> int:
        kind, value = operand
        if kind == "literal":
            return value
        if kind == "fixed":
            return self.fixed(value) if value else 0
        if kind == "vbr":
            return self.vbr(value) if value else 0
        return ord(_CHAR6[self.fixed(6)])

    def abbreviated(self, operands: _Abbreviation) -> tuple[list[int], bytes]:
        values, blob = list[int](), b""
        position = 0
        while position < len(operands):
            kind = operands[position][0]
            if kind == "array":
                element = operands[position + 1]
                values.extend(self.scalar(element) for _ in range(self.vbr(6)))
                position += 1
            elif kind == "blob":
                length = self.vbr(6)
                self.align()
                blob = self.data[self.bit >> 3 : (self.bit >> 3) + length]
                self.bit += 8 * length
                self.align()
            else:
                values.append(self.scalar(operands[position]))
            position += 1
        return values, blob

    def enter(self) -> tuple[int, int, int]:
        """After ENTER_SUBBLOCK: (block id, abbreviation width, bit at which the block ends)."""
        block = self.vbr(8)
        width = self.vbr(4)
        self.align()
        words = self.fixed(32)
        return block, width, self.bit + 32 * words

    def block(self, block: int, width: int, end: int) -> None:
        abbreviations = list(self.shared.get(block, []))
        current: int | None = None
        while self.bit < end:
            code = self.fixed(width)
            if code == _END_BLOCK:
                break
            if code == _ENTER_SUBBLOCK:
                inner, inner_width, inner_end = self.enter()
                if block == _MODULE and inner in (_BLOCKINFO, _TYPES):
                    self.block(inner, inner_width, inner_end)
                self.bit = inner_end
            elif code == _DEFINE_ABBREV:
                defined = self.abbreviation()
                if block == _BLOCKINFO and current is not None:
                    self.shared.setdefault(current, []).append(defined)
                else:
                    abbreviations.append(defined)
            else:
                if code == _UNABBREV_RECORD:
                    kind = self.vbr(6)
                    values, blob = [self.vbr(6) for _ in range(self.vbr(6))], b""
                else:
                    values, blob = self.abbreviated(abbreviations[code - 4])
                    kind, values = values[0], values[1:]
                if block == _BLOCKINFO and kind == _SETBID:
                    current = values[0]
                self.record(block, kind, values, blob)
        self.bit = end

    def record(self, block: int, kind: int, values: list[int], blob: bytes) -> None:
        if block == _TYPES and kind not in (_TYPE_NUMENTRY, _TYPE_STRUCT_NAME):
            # A function type is [vararg, result, parameters...]; other types only take a number.
            self.parameters.append(len(values) - 2 if kind == _TYPE_FUNCTION else None)
        elif block == _MODULE and kind == _MODULE_FUNCTION:
            # [name offset, name size, type, calling convention, is declaration, ...]
            self.functions.append((values[0], values[1], values[2], bool(values[4])))
        elif block == _STRTAB and kind == _STRTAB_BLOB:
            self.names = blob


def functions(data: bytes) -> dict[str, int]:
    """Name -> number of parameters of every function that the bitcode file ``data`` defines.

    Raises:
        ValueError: the data is no bitcode file of the expected form.
    """
    if data[:4] != b"BC\xc0\xde":
        raise ValueError("not an LLVM bitcode file")
    reader = _Reader(data, bit=32)
    try:
        while reader.bit + 64 <= 8 * len(data):
            if reader.fixed(2) != _ENTER_SUBBLOCK:
                break
            block, width, end = reader.enter()
            if block in (_MODULE, _STRTAB):
                reader.block(block, width, end)
            reader.bit = end
        found = dict[str, int]()
        for offset, size, kind, declared in reader.functions:
            count = reader.parameters[kind]
            if not declared and count is not None:
                found[reader.names[offset : offset + size].decode()] = count
        return found
    except (IndexError, KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"the bitcode file cannot be read: {error!r}") from error
