"""Functions that load and store a strip of 16 lanes, as LLVM IR.

``@w2w.lanes.<load|store>.<space>.<size>(wave, mask, addresses, offset[, data...])``. Most accesses are regular: all
lanes are on and their elements follow each other, or all use the same one. These are vector operations here; the rest
is for the helper ``w2w_lanes_<space>_<load|store>_<size>``, which leaves the host's registers as they are. Device
memory changes under a program that runs: its loads and stores are volatile, so that each happens where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import wave_layout
from .lane_lines import STRIP
from .strip_loop import Access

_ELEMENT_BITS = {"u8": 8, "i8": 8, "u16": 16, "i16": 16}
_WORDS = {"b64": 2, "b96": 3, "b128": 4}
KEEPS_REGISTERS = "preserve_allcc"
"""The calling convention of functions that save whatever register they use."""
_DATA = f"<{STRIP} x i32>"


def render_functions(accesses: Iterable[Access], inline: bool) -> list[str]:
    """Definitions, with the declarations of the helpers. ``inline``: faster and larger."""
    return [_function(*access, inline) for access in sorted(accesses)]


def _function(operation: str, space: str, size: str, inline: bool) -> str:
    words = _WORDS.get(size, 1)
    is_load = operation == "load"
    bits = 64 if space == "global" else 32
    vector = f"<{STRIP} x i{bits}>"
    result = _result_type(words) if is_load else "void"
    data = "".join(f", {_DATA} %data{k}" for k in range(words)) if not is_load else ""
    convention = "" if inline else f"{KEEPS_REGISTERS} "
    name = f"@w2w.lanes.{operation}.{space}.{size}"
    parameters = f"ptr %wave, <{STRIP} x i1> %mask, {vector} %addresses, i64 %offset{data}"
    lines = [
        f"declare {KEEPS_REGISTERS} void @w2w_lanes_{space}_{operation}_{size}(ptr, i32, ptr, i64, ptr)",
        f"define internal {convention}{result} {name}({parameters}) #{3 if inline else 4} {{",
        "entry:",
        f"  %slow.addresses = alloca {vector}, align 64",
        f"  %slow.data = alloca [{words} x <64 x i32>], align 64",
        f"  %on = bitcast <{STRIP} x i1> %mask to i{STRIP}",
        f"  %first = extractelement {vector} %addresses, i64 0",
        f"  %one = insertelement {vector} poison, i{bits} %first, i64 0",
        f"  %same = shufflevector {vector} %one, {vector} poison, <{STRIP} x i32> zeroinitializer",
        *_regular_address(space, bits, size),
        *_pattern_test("follows", bits, _element_bytes(size), "vector", "other" if is_load else "slow"),
        "vector:",
        *(_vector_load(size, words, result) if is_load else _vector_store(size, words)),
    ]
    if is_load:
        lines += ["other:", *_pattern_test("shares", bits, 0, "shared", "slow")]
        lines += ["shared:", *_shared_load(size, words, result)]
    lines += ["slow:", *_slow(operation, space, size, words, bits, result), "}"]
    return "\n".join(lines) + "\n"


def _result_type(words: int) -> str:
    return _DATA if words == 1 else "{ " + ", ".join([_DATA] * words) + " }"


def _element_bytes(size: str) -> int:
    return _ELEMENT_BITS.get(size, 32 * _WORDS.get(size, 1)) // 8


def _regular_address(space: str, bits: int, size: str) -> list[str]:
    """``%place`` is the first lane's; ``%fits`` whether a vector from there is within bounds and does not wrap."""
    lines = [f"  %wide = zext i{bits} %first to i64" if bits < 64 else "  %wide = add i64 %first, 0"]
    lines.append("  %sum = add i64 %wide, %offset")
    span = STRIP * _element_bytes(size)
    if space == "lds":
        lines += [
            f"  %size.at = getelementptr i8, ptr %wave, i64 {wave_layout.LDS_SIZE}",
            "  %size = load i64, ptr %size.at",
            f"  %end = add i64 %sum, {span}",
            "  %fits = icmp ule i64 %end, %size",
            f"  %lds.at = getelementptr i8, ptr %wave, i64 {wave_layout.LDS}",
            "  %lds = load ptr, ptr %lds.at",
            "  %place = getelementptr i8, ptr %lds, i64 %sum",
        ]
    else:
        limit = f"icmp ult i64 %wide, {(1 << 32) - span}" if space == "base" else "icmp eq i1 true, true"
        lines += [f"  %fits = {limit}", "  %place = inttoptr i64 %sum to ptr"]
    return lines


def _pattern_test(name: str, bits: int, step: int, yes: str, no: str) -> list[str]:
    """Go to ``yes`` if all lanes are on and ``step`` bytes apart."""
    vector = f"<{STRIP} x i{bits}>"
    steps = "<" + ", ".join(f"i{bits} {step * lane}" for lane in range(STRIP)) + ">"
    return [
        f"  %{name}.wanted = add {vector} %same, {steps}",
        f"  %{name}.lanes = icmp eq {vector} %addresses, %{name}.wanted",
        f"  %{name}.on = and <{STRIP} x i1> %{name}.lanes, %mask",
        f"  %{name}.bits = bitcast <{STRIP} x i1> %{name}.on to i{STRIP}",
        f"  %{name}.all = icmp eq i{STRIP} %{name}.bits, -1",
        f"  %{name} = and i1 %{name}.all, %fits",
        f"  br i1 %{name}, label %{yes}, label %{no}",
    ]


def _vector_load(size: str, words: int, result: str) -> list[str]:
    if size in _ELEMENT_BITS:
        narrow = f"<{STRIP} x i{_ELEMENT_BITS[size]}>"
        extend = "zext" if size[0] == "u" else "sext"
        return [
            f"  %narrow = load volatile {narrow}, ptr %place, align 1",
            f"  %extended = {extend} {narrow} %narrow to {_DATA}",
            f"  ret {_DATA} %extended",
        ]
    if words == 1:
        return [f"  %loaded = load volatile {_DATA}, ptr %place, align 1", f"  ret {_DATA} %loaded"]
    whole = f"<{STRIP * words} x i32>"
    lines = [f"  %loaded = load volatile {whole}, ptr %place, align 1"]
    for word in range(words):
        indices = ", ".join(f"i32 {word + words * lane}" for lane in range(STRIP))
        lines.append(f"  %vector{word} = shufflevector {whole} %loaded, {whole} poison, <{STRIP} x i32> <{indices}>")
    return lines + _return("vector", words, result)


def _vector_store(size: str, words: int) -> list[str]:
    if size in _ELEMENT_BITS:
        narrow = f"<{STRIP} x i{_ELEMENT_BITS[size]}>"
        return [
            f"  %narrow = trunc {_DATA} %data0 to {narrow}",
            f"  store volatile {narrow} %narrow, ptr %place, align 1",
            "  ret void",
        ]
    if words == 1:
        return [f"  store volatile {_DATA} %data0, ptr %place, align 1", "  ret void"]
    pair, whole = f"<{2 * STRIP} x i32>", f"<{STRIP * words} x i32>"
    lines = []
    for half in range(0, words, 2):
        second = f"%data{half + 1}" if half + 1 < words else "poison"
        lanes = ", ".join(f"i32 {lane}" for lane in range(2 * STRIP))
        lines.append(f"  %pair{half} = shufflevector {_DATA} %data{half}, {_DATA} {second}, {pair} <{lanes}>")
    order = [word * STRIP + lane for lane in range(STRIP) for word in range(words)]
    indices = ", ".join(f"i32 {index}" for index in order)
    other = "%pair2" if words > 2 else "poison"
    lines.append(f"  %all = shufflevector {pair} %pair0, {pair} {other}, {whole} <{indices}>")
    return [*lines, f"  store volatile {whole} %all, ptr %place, align 1", "  ret void"]


def _shared_load(size: str, words: int, result: str) -> list[str]:
    """One load of the whole element, which may be a flag with its value."""
    element = f"i{_ELEMENT_BITS[size]}" if size in _ELEMENT_BITS else f"<{words} x i32>"
    lines = [f"  %element = load volatile {element}, ptr %place, align 1"]
    for word in range(words):
        if size in _ELEMENT_BITS:
            lines.append(f"  %word{word} = {'zext' if size[0] == 'u' else 'sext'} {element} %element to i32")
        else:
            lines.append(f"  %word{word} = extractelement {element} %element, i64 {word}")
        lines += [
            f"  %single{word} = insertelement {_DATA} poison, i32 %word{word}, i64 0",
            f"  %shared{word} = shufflevector {_DATA} %single{word}, {_DATA} poison, {_DATA} zeroinitializer",
        ]
    return lines + _return("shared", words, result)


def _return(name: str, words: int, result: str) -> list[str]:
    if words == 1:
        return [f"  ret {result} %{name}0"]
    lines, before = [], "poison"
    for word in range(words):
        lines.append(f"  %{name}.r{word} = insertvalue {result} {before}, {_DATA} %{name}{word}, {word}")
        before = f"%{name}.r{word}"
    return [*lines, f"  ret {result} {before}"]


def _slow(operation: str, space: str, size: str, words: int, bits: int, result: str) -> list[str]:
    places = [f"  %slow{k}.at = getelementptr i8, ptr %slow.data, i64 {256 * k}" for k in range(words)]
    lines = [f"  store <{STRIP} x i{bits}> %addresses, ptr %slow.addresses, align 64", *places]
    if operation == "store":
        lines += [f"  store {_DATA} %data{k}, ptr %slow{k}.at, align 64" for k in range(words)]
    helper = f"@w2w_lanes_{space}_{operation}_{size}"
    arguments = "ptr %wave, i32 %on.wide, ptr %slow.addresses, i64 %offset, ptr %slow.data"
    lines += [f"  %on.wide = zext i{STRIP} %on to i32", f"  call {KEEPS_REGISTERS} void {helper}({arguments})"]
    if operation == "store":
        return [*lines, "  ret void"]
    lines += [f"  %slow{k} = load {_DATA}, ptr %slow{k}.at, align 64" for k in range(words)]
    return lines + _return("slow", words, result)
