"""Element types from signatures, and buffers held against each other."""

import numpy as np
import pytest

from sandbox.numerics.elements import element_size, find_mismatch, parameter_types


def raw(values, kind):
    return np.asarray(values, dtype=kind).view(np.uint8)


SIGNATURES = [
    ("add(float const*, float*, int)", ("float32", "float32", None)),
    ("void scale<double>(double*, unsigned long)", ("float64", None)),
    ("f(int const* __restrict__, unsigned int*, unsigned char*)", ("int32", "uint32", "uint8")),
    ("f(float4*, uint2 const*, longlong2*)", ("float32", "uint32", "int64")),
    ("f(__half*, __nv_bfloat16 const*)", ("float16", "bfloat16")),
    ("f(Item*, float**, void*)", (None, None, None)),
    ("void f<Pair<int, float>, (Mode)1>(Pair<int, float>*, std::array<int, 4>, short*)", (None, None, "int16")),
    ("f()", ()),
    ("f", ()),
    ("f(unbalanced", ()),
    ("f)))(int*", ()),
    ("void f<void (*)(int*)>(void (*)(int*), float*)", (None, "float32")),
]


@pytest.mark.parametrize(("signature", "types"), SIGNATURES)
def test_parameter_types(signature, types):
    assert parameter_types(signature) == types


SAME = [
    ("int32", [1, 2], [1, 2]),
    ("float32", [1.0, 1e6], [1.00001, 1e6]),
    ("float32", [1e-9, 1.0], [2e-9, 1.0]),  # what cancelled is small beside the largest
    ("float32", [np.nan, np.inf], [np.nan, np.inf]),
    ("float32", [0.0], [-0.0]),
    ("float64", [1.0], [1.0 + 1e-12]),
    ("float16", [1.0], [1.001]),
]


@pytest.mark.parametrize(("kind", "expected", "got"), SAME)
def test_what_counts_as_the_same(kind, expected, got):
    assert find_mismatch(kind, raw(expected, kind), raw(got, kind)) is None


DIFFERENT = [
    ("int32", [1, 2, 3], [1, 2, 4], 2, "3", "4", 1),
    ("uint8", [0, 255], [1, 254], 0, "0", "1", 2),
    ("float32", [1.0, 2.0], [1.0, 2.01], 1, "2", "2.00999999", 1),
    ("float32", [np.inf], [np.nan], 0, "inf", "nan", 1),
    ("float32", [np.inf], [-np.inf], 0, "inf", "-inf", 1),
    ("float32", [1.0, np.nan], [1.0, 5.0], 1, "nan", "5", 1),
    ("float64", [1.0], [1.0 + 1e-9], 0, "1.0", "1.000000001", 1),
    ("int64", [1 << 40], [0], 0, str(1 << 40), "0", 1),
]


@pytest.mark.parametrize(("kind", "expected", "got", "index", "left", "right", "count"), DIFFERENT)
def test_the_first_difference(kind, expected, got, index, left, right, count):
    found = find_mismatch(kind, raw(expected, kind), raw(got, kind))
    assert (found.index, found.expected, found.got, found.count) == (index, left, right, count)
    assert not found.is_reordering


def test_the_same_in_another_order_is_told():
    found = find_mismatch("int32", raw([1, 2, 3], "int32"), raw([3, 2, 1], "int32"))
    assert (found.index, found.count, found.is_reordering) == (0, 2, True)


def test_bfloat16():
    one, near, far = 0x3F80, 0x3F81, 0x4000
    assert find_mismatch("bfloat16", raw([one], "uint16"), raw([near], "uint16")) is None
    found = find_mismatch("bfloat16", raw([one], "uint16"), raw([far], "uint16"))
    assert (found.expected, found.got) == ("1", "2")


WORDS = [
    (raw([1.5], "float32"), raw([1.50001], "float32"), None),
    (raw([1.5], "float32"), raw([1.6], "float32"), 0),
    (raw([7], "int32"), raw([8], "int32"), 0),  # denormal as floats: integers
    (raw([1000000], "int32"), raw([1000001], "int32"), 0),
    (raw([0.0], "float32"), raw([1e-31], "float32"), 0),
]


@pytest.mark.parametrize(("expected", "got", "index"), WORDS)
def test_words_of_unknown_type(expected, got, index):
    found = find_mismatch("words", expected, got)
    assert (found and found.index) == index


def test_bytes_behind_the_last_element():
    left, right = np.array([0, 0, 0, 0, 1], np.uint8), np.array([0, 0, 0, 0, 2], np.uint8)
    found = find_mismatch("int32", left, right)
    assert (found.index, found.expected, found.got) == (1, "01", "02")


@pytest.mark.parametrize(("kind", "size"), [("bfloat16", 2), ("words", 4), ("float64", 8), ("uint8", 1)])
def test_element_sizes(kind, size):
    assert element_size(kind) == size
