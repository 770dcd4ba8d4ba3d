"""Instructions whose C++ depends on more than a row of text can say: vectors, memory, matrices, video."""

from __future__ import annotations

from collections.abc import Mapping

from agents.shims.inline_ptx.forms import Filler, Writer
from agents.shims.inline_ptx.syntax import Operand
from agents.shims.inline_ptx.types import C_TYPES, SIZES, UNSIGNED
from agents.shims.inline_ptx.values import widened

_BITS = {1: "b8", 2: "b16", 4: "b32", 8: "b64"}
_ORDERS = {"": "weak", "weak": "weak", "volatile": "fresh"}
_STREAMING = frozenset({"cs", "lu", "L1::evict_first", "L1::no_allocate", "L2::evict_first"})
_FRESH = frozenset({"cg", "cv"})


# ---- packing


def join(f: Filler) -> str:
    """mov.b64 d, {a, b}"""
    kind, parts = f.kind("T"), f.parts(1)
    part = _part_kind(f, kind, len(parts))
    values = ", ".join(f"static_cast<{C_TYPES[part]}>({f.values.read(x, part)})" for x in parts)
    return f.assign(0, f"w2w::ptx::join<{C_TYPES[kind]}>({values})")


def split(f: Filler) -> str:
    """mov.b64 {a, b}, d"""
    kind, parts = f.kind("T"), f.parts(0)
    part = _part_kind(f, kind, len(parts))
    bits = 8 * SIZES[part]
    lines = [f"const {C_TYPES[kind]} w2wm = {f.values.read(f.operands[1], kind)};"]
    for number, element in enumerate(parts):
        target = f.values.target(element, part)
        if target:
            shifted = f"w2wm >> {bits * number}" if number else "w2wm"
            lines.append(f"{target} = static_cast<{C_TYPES[part]}>({shifted});")
    return _block(lines)


def _part_kind(f: Filler, kind: str, count: int) -> str:
    size = SIZES[kind] // count if count else 0
    if count not in (2, 4) or size not in _BITS or size < 2:
        raise f.values.error(f"{count} parts do not make .{kind}")
    return _BITS[size]


# ---- memory


def load(f: Filler) -> str:
    kind, targets = f.kind("T"), f.elements(0)
    call = f"w2w::ptx::load<{_access(f, kind, len(targets))}>({f.operand(1)})"
    parts = f.parts(0)
    if len(targets) == 1:
        expression = widened(f"{call}.at[0]", kind, f.values.size(parts[0]))
        return f"{targets[0]} = {_bits(expression, kind, f, parts[0])};" if targets[0] else f"{call};"
    lines = [f"const auto w2wm = {call};"]
    for number, (target, part) in enumerate(zip(targets, parts, strict=True)):
        if target:
            expression = widened(f"w2wm.at[{number}]", kind, f.values.size(part))
            lines.append(f"{target} = {_bits(expression, kind, f, part)};")
    return _block(lines)


def _bits(expression: str, kind: str, f: Filler, part: Operand) -> str:
    return f"w2w::ptx::raw({expression})" if kind in ("f32", "f64") else expression


def store(f: Filler) -> str:
    kind, values = f.kind("T"), f.elements(1)
    return f"w2w::ptx::store<{_access(f, kind, len(values))}>({f.operand(0)}, {', '.join(values)});"


def reduce(f: Filler) -> str:
    kind, values = f.kind("T"), f.elements(1)
    arguments = f"{C_TYPES[kind]}, {len(values)}, {f.name('O')}, {f.name('P')}"
    place = f"w2w::ptx::pointer<{C_TYPES[kind]}, {f.name('S')}>({f.operand(0)})"
    return f"w2w::ptx::reduce_elements<{arguments}>({place}, {', '.join(values)});"


def _access(f: Filler, kind: str, count: int) -> str:
    """Template arguments of a load or a store. What is cached where other threads' stores do not show is bypassed."""
    names = f.names
    order = _ORDERS.get(names.get("O", ""), names.get("O", ""))
    constant = bool(names.get("nc")) or names.get("S") == "const"
    if order == "weak" and names.get("C") in _FRESH and not constant and "P" not in names:
        order = "relaxed"
    streaming = order == "weak" and not _STREAMING.isdisjoint({names.get(k, "") for k in ("C", "E", "F")})
    keep = f.name("volatile") if not constant else "false"
    cache = "streaming" if streaming else "all"
    return (
        f"{C_TYPES[kind]}, {count}, {f.name('S')}, w2w::ptx::Order::{order}, {f.name('P')}, "
        f"w2w::ptx::Cache::{cache}, {keep}"
    )


# ---- matrices


def load_matrix(f: Filler) -> str:
    parts = _matrix_parts(f, 0)
    count = len(parts)
    targets = [f.values.target(part, "b32") for part in parts]
    lines = [
        f"unsigned w2wm[{count}];",
        f"w2w::ptx::load_matrix<{count}, {f.name('trans')}>(w2wm, {f.operand(1)});",
    ]
    return _block(lines + [f"{target} = w2wm[{n}];" for n, target in enumerate(targets) if target])


def store_matrix(f: Filler) -> str:
    parts = _matrix_parts(f, 1)
    values = ", ".join(f.values.read(part, "b32") for part in parts)
    lines = [
        f"const unsigned w2wm[] = {{{values}}};",
        f"w2w::ptx::store_matrix<{len(parts)}, {f.name('trans')}>({f.operand(0)}, w2wm);",
    ]
    return _block(lines)


def _matrix_parts(f: Filler, index: int) -> tuple[Operand, ...]:
    parts = f.parts(index)
    if len(parts) != int(f.names["N"][1:]):
        raise f.values.error(f"{f.names['N'][1:]} registers were expected, not {len(parts)}")
    return parts


_ELEMENT_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4}


def multiply(f: Filler) -> str:
    """mma.sync: fragments as arrays, a call, and the results out of an array."""
    shape, names = f.names["M"], f.names
    rows, rest = shape[1:].split("n")
    depth = int(rest.split("k")[1])
    bits = _ELEMENT_BITS[names["A"]]
    word = "b64" if bits == 64 else "b32"
    per_word = 64 // bits if bits == 64 else 32 // bits
    expected = (
        _accumulator_words(names["D"], int(rows)),
        int(rows) * depth // 32 // per_word,
        8 * depth // 32 // per_word,
        _accumulator_words(names["C"], int(rows)),
    )
    lists = [f.parts(index) for index in range(4)]
    for letter, parts, count in zip("dabc", lists, expected, strict=True):
        if len(parts) != count:
            raise f.values.error(f"{letter} has {count} registers, not {len(parts)}")
    kinds = (_accumulator_kind(names["D"]), word, word, _accumulator_kind(names["C"]))
    lines = []
    for name, parts, kind in zip("abc", lists[1:], kinds[1:], strict=True):
        values = ", ".join(f.values.read(part, kind) for part in parts)
        lines.append(f"const {UNSIGNED[SIZES[kind]]} w2w{name}[] = {{{values}}};")
    lines.append(f"{UNSIGNED[SIZES[kinds[0]]]} w2wd[{expected[0]}];")
    types = ", ".join(
        "w2w::ptx::f16x2" if letter in "DC" and names[letter] == "f16" else C_TYPES[names[letter]] for letter in "DABC"
    )
    saturate = "true" if names.get("satfinite") else "false"
    lines.append(f"w2w::ptx::multiply<{rows}, {depth}, {types}, {saturate}>(w2wd, w2wa, w2wb, w2wc);")
    targets = [f.values.target(part, kinds[0]) for part in lists[0]]
    return _block(lines + [f"{target} = w2wd[{n}];" for n, target in enumerate(targets) if target])


def _accumulator_words(kind: str, rows: int) -> int:
    return rows // 8 if kind == "f16" else 2 * rows // 8


def _accumulator_kind(kind: str) -> str:
    return "b64" if kind == "f64" else "b32"


# ---- video


def _shift_and_bits(f: Filler, selector: str) -> tuple[int, int]:
    if not selector:
        return 0, 32
    if len(selector) != 2 or (selector[0] == "h" and selector[1] not in "01") or selector[1] not in "0123":
        raise f.values.error(f"there is no part .{selector}")
    bits = 8 if selector[0] == "b" else 16
    return bits * int(selector[1]), bits


def _video_part(f: Filler, index: int, kind: str) -> str:
    operand, selector, minus = f.values.selected(f.operands[index])
    shift, bits = _shift_and_bits(f, selector)
    text = f"w2w::ptx::video_part<{C_TYPES[kind]}, {shift}, {bits}>({f.values.read(operand, 'b32')})"
    return f"-{text}" if minus else text


def _video_result(f: Filler) -> tuple[str, str, int, int, str]:
    """Target, second operation, shift, bits and the operand c."""
    operand, selector, minus = f.values.selected(f.operands[0])
    shift, bits = _shift_and_bits(f, selector)
    second = f.names.get("W", "none")
    if minus or (selector and second != "none"):
        raise f.values.error("a part of the result and a second operation exclude each other")
    needs_c = bool(selector) or second != "none"
    if needs_c != (len(f.operands) == 4):
        raise f.values.error("the third source belongs to a second operation or to a part of the result")
    c = f.values.read(f.operands[3], "b32") if needs_c else "0u"
    return f.values.target(operand, "b32"), f"w2w::ptx::Second::{second}", shift, bits, c


def _video_assign(target: str, call: str) -> str:
    return f"{target} = {call};" if target else f"static_cast<void>({call});"


def video(f: Filler) -> str:
    target, second, shift, bits, c = _video_result(f)
    a, b = _video_part(f, 1, f.kind("A")), _video_part(f, 2, f.kind("B"))
    if "M" in f.names:
        b = f"w2w::ptx::video_count<{'true' if f.names['M'] == 'wrap' else 'false'}>({b})"
    operation = f"w2w::ptx::Video::{f.row.opcode[1:]}"
    arguments = f"{operation}, {C_TYPES[f.kind('D')]}, {second}, {shift}, {bits}, {f.name('sat')}"
    return _video_assign(target, f"w2w::ptx::video<{arguments}>({a}, {b}, {c})")


def video_set(f: Filler) -> str:
    target, second, shift, bits, c = _video_result(f)
    a, b = _video_part(f, 1, f.kind("A")), _video_part(f, 2, f.kind("B"))
    return _video_assign(target, f"w2w::ptx::video_set<{f.name('Q')}, {second}, {shift}, {bits}>({a}, {b}, {c})")


def video_multiply(f: Filler) -> str:
    a, b = _video_part(f, 1, f.kind("A")), _video_part(f, 2, f.kind("B"))
    operand, selector, minus = f.values.selected(f.operands[3])
    if selector:
        raise f.values.error("the addend has no parts")
    signed = "s32" in (f.kind("A"), f.kind("B"), f.kind("D"))
    shift = f.names.get("Z", "shr0")[3:]
    flags = f"{shift}, {f.name('sat')}, {f.name('po')}, {'true' if minus else 'false'}"
    types = f"{C_TYPES[f.kind('D')]}, {'int' if signed else 'unsigned'}"
    call = f"w2w::ptx::video_multiply<{types}, {flags}>({a}, {b}, {f.values.read(operand, 'b32')})"
    return f.assign(0, call)


def _packed_sources(f: Filler, lanes: int) -> tuple[str, str, str, int, str]:
    """a and b with their selectors applied, c, the mask of parts that are written, and the target."""
    sources = [f.values.selected(f.operands[index]) for index in (1, 2)]
    a, b = (f.values.read(operand, "b32") for operand, _, _ in sources)
    texts = []
    for plain, (_, selector, minus) in zip((a, b), sources, strict=True):
        if minus or (selector and (len(selector) != lanes + 1 or selector[0] != ("h" if lanes == 2 else "b"))):
            raise f.values.error(f"there is no selection .{selector}")
        texts.append(f"w2w::ptx::gather<{lanes}, 0x{selector[1:]}u>({a}, {b})" if selector else plain)
    operand, selector, minus = f.values.selected(f.operands[0])
    if minus or (
        selector and (selector[0] != ("h" if lanes == 2 else "b") or any(int(d) >= lanes for d in selector[1:]))
    ):
        raise f.values.error(f"there is no mask .{selector}")
    mask = sum(1 << int(digit) for digit in set(selector[1:])) if selector else (1 << lanes) - 1
    return texts[0], texts[1], f.values.read(f.operands[3], "b32"), mask, f.values.target(operand, "b32")


def packed_video(f: Filler) -> str:
    lanes = int(f.row.opcode[-1])
    a, b, c, mask, target = _packed_sources(f, lanes)
    types = ", ".join(C_TYPES[f.kind(letter)] for letter in "DAB")
    arguments = f"w2w::ptx::Video::{f.row.opcode[1:-1]}, {lanes}, {types}, {mask}, {f.name('sat')}, {f.name('add')}"
    return _video_assign(target, f"w2w::ptx::packed_video<{arguments}>({a}, {b}, {c})")


def packed_set(f: Filler) -> str:
    lanes = int(f.row.opcode[-1])
    a, b, c, mask, target = _packed_sources(f, lanes)
    types = ", ".join(C_TYPES[f.kind(letter)] for letter in "AB")
    call = f"w2w::ptx::packed_set<{f.name('Q')}, {lanes}, {types}, {mask}, {f.name('add')}>({a}, {b}, {c})"
    return _video_assign(target, call)


def _block(lines: list[str]) -> str:
    return "{ " + " ".join(lines) + " }"


WRITERS: Mapping[str, Writer] = {
    "join": join,
    "split": split,
    "load": load,
    "store": store,
    "reduce": reduce,
    "load_matrix": load_matrix,
    "store_matrix": store_matrix,
    "multiply": multiply,
    "video": video,
    "video_set": video_set,
    "video_multiply": video_multiply,
    "packed_video": packed_video,
    "packed_set": packed_set,
}
