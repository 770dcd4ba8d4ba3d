"""Hold two runs against each other: exit status, the numbers and words they print, the files they write.

First version: whole programs, by what they show outside. Numbers that measure the machine (times, rates) and
addresses are left out and counted. A difference in wording alone is told apart from a difference in results.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

from sandbox.models import Comparison, Difference, Run
from sandbox.numerics.text import Token, tokenize
from sandbox.numerics.tolerances import load_tolerances

_MAX_DIFFERENCES = 20
_ANY_SIZE = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)


@dataclass
class _Tally:
    numbers: int = 0
    words: int = 0
    results: int = 0  # words that pronounce a result
    measurements: int = 0
    differences: list[Difference] = field(default_factory=list)
    hidden: int = 0

    def differ(self, where: str, expected: str, got: str, detail: str) -> None:
        if len(self.differences) < _MAX_DIFFERENCES:
            self.differences.append(Difference(where=where, expected=expected, got=got, detail=detail))
        else:
            self.hidden += 1


def compare_runs(reference: Run, port: Run) -> Comparison:
    """Compare ``port`` with ``reference``. Both must have ended by themselves (exit code or signal)."""
    tally = _Tally()
    compared = [f"exit status ({_ending(reference)})"]
    _compare_text(reference.stdout, port.stdout, tally)
    if _ending(reference) != _ending(port):
        tally.differ("exit status", _ending(reference), _ending(port), "")
    compared.append(f"{tally.numbers} numbers and {tally.words} words in stdout")
    if tally.measurements:
        compared.append(f"not compared: {tally.measurements} measurements of time or rate, or addresses")
    expected = {output.name: output for output in reference.outputs}
    got = {output.name: output for output in port.outputs}
    for name in sorted(expected.keys() | got.keys()):
        left, right = expected.get(name), got.get(name)
        compared.append(f"output file {name}")
        if left is None or right is None or left.sha256 != right.sha256:
            sides = [f"{side.size} bytes, sha256 {side.sha256[:12]}" if side else "absent" for side in (left, right)]
            tally.differ(f"output file {name}", sides[0], sides[1], "the bytes differ")
    if tally.hidden:
        compared.append(f"{tally.hidden} more differences are not listed")
    return Comparison(
        same=not tally.differences,
        compared=tuple(compared),
        differences=tuple(tally.differences),
        conclusive=bool(tally.numbers or tally.results or expected or tally.differences),
    )


def differs_in_wording_only(comparison: Comparison) -> bool:
    """Whether every difference is one of words that state no result, e.g. the name of the device."""
    return bool(comparison.differences) and all(d.detail == "wording" for d in comparison.differences)


def _ending(run: Run) -> str:
    if run.limit is not None:
        return f"ended by the {run.limit} limit"
    return f"signal {run.signal}" if run.signal is not None else f"exit code {run.exit_code}"


def _compare_text(expected: str, got: str, tally: _Tally) -> None:
    left, right = expected.splitlines(), got.splitlines()
    for number, (a, b) in enumerate(zip(left, right, strict=False), start=1):
        _compare_line(number, a, b, tally)
    if len(left) != len(right):
        shorter = min(len(left), len(right))
        extra = (left if len(left) > len(right) else right)[shorter]
        sides = (extra, "(no such line)") if len(left) > len(right) else ("(no such line)", extra)
        tally.differ(f"stdout line {shorter + 1}", sides[0], sides[1], f"{len(left)} lines expected, {len(right)} got")


def _compare_line(number: int, expected: str, got: str, tally: _Tally) -> None:
    where = f"stdout line {number}"
    left, right = tokenize(expected), tokenize(got)
    if [t.kind for t in left] != [t.kind for t in right]:
        _compare_shapes(where, expected, got, left, right, tally)
        return
    for at, (a, b) in enumerate(zip(left, right, strict=True)):
        if a.kind == "number" and _is_measurement(left, at):
            tally.measurements += 1
        elif a.kind == "address":
            tally.numbers += 1
            if a.text.lower() != b.text.lower():
                tally.differ(where, expected, got, _address_detail(a, b))
                return
        elif a.kind == "number":
            tally.numbers += 1
            if problem := _number_difference(a, b):
                tally.differ(where, expected, got, problem)
                return
        else:
            tally.words += 1
            tally.results += _says_result(a)
            if _in_hip_words(a.text) != _in_hip_words(b.text):
                tally.differ(where, expected, got, _word_detail(a, b))
                return


def _compare_shapes(
    where: str, expected: str, got: str, left: tuple[Token, ...], right: tuple[Token, ...], tally: _Tally
) -> None:
    """Lines that do not even have the same kinds of tokens: wording, unless a result stands in one of them."""
    results = [t for t in (*left, *right) if t.kind == "number" or _says_result(t)]
    tally.differ(where, expected, got, "the lines differ in form" if results else "wording")


def _word_detail(a: Token, b: Token) -> str:
    return "a result word differs" if _says_result(a) or _says_result(b) else "wording"


def _says_result(token: Token) -> bool:
    return token.kind == "special" or token.text.lower() in load_tolerances().verdict.words


def _in_hip_words(word: str) -> str:
    """cudaSuccess and hipSuccess are the same answer."""
    lowered = word.lower()
    if lowered in ("-nan", "+nan"):  # IEEE 754 leaves the sign of a NaN open
        return "nan"
    return f"hip{lowered[4:]}" if lowered.startswith("cuda") else lowered


def _address_detail(a: Token, b: Token) -> str:
    """A long hexadecimal number may be a pointer, which differs from run to run, or a hash, which may not. Where
    both could be pointers of a process a person must look; accepting would hide wrong hashes."""
    pointers = all(int(token.text, 16) >> 47 == 0 for token in (a, b))
    return "wording" if pointers else "the numbers differ"


def _is_measurement(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether the number measures the machine: a unit stands behind it, or it is the first number, and a
    fraction, behind a word such as "elapsed". Counts are results, whatever stands before them."""
    table = load_tolerances().measurement
    following = tokens[at + 1].text.rstrip(".,;)") if at + 1 < len(tokens) else ""
    if following in table.units:
        return True
    if tokens[at].is_integer:
        return False
    if following in table.fraction_units:
        return True
    before = []
    for token in reversed(tokens[max(0, at - 4) : at]):
        if token.kind == "number":
            break
        before.append(token.text.lower().rstrip(":"))
    return any(word in table.words for word in before)


def _number_difference(a: Token, b: Token) -> str | None:
    """None if the numbers agree, else how far apart they are."""
    try:
        with localcontext(_ANY_SIZE):
            return _gap(a, b)
    except (ValueError, ArithmeticError):  # too large even for a decimal: then only the same text is the same
        return None if a.text == b.text else "the numbers differ"


def _gap(a: Token, b: Token) -> str | None:
    x, y = a.value, b.value
    if x == y:
        return None
    if a.is_integer and b.is_integer:
        return f"integers differ by {abs(x - y)}"
    tolerance = load_tolerances().float
    size = max(abs(x), abs(y))
    last_digit = tolerance.last_digit_units * max(a.last_digit, b.last_digit)
    if min(a.fixed_decimals, b.fixed_decimals) < tolerance.trusted_decimals:
        last_digit = min(last_digit, tolerance.last_digit_relative * size)
    allowed = max(tolerance.relative * size, last_digit)
    gap = abs(x - y)
    if gap <= allowed:
        return None
    relative = gap / max(abs(x), abs(y), Decimal("1e-300"))
    return f"differ by {gap:.3g} (relative {relative:.2e}, allowed {allowed:.3g})"
