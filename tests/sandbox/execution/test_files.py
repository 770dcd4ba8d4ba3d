import pytest

from sandbox.errors import InputError
from sandbox.execution.files import fresh_folder, sha256_of, write_files


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", "."])
def test_names_that_leave_the_folder_are_refused(tmp_path, name):
    with pytest.raises(InputError):
        write_files(tmp_path, [(name, b"x")])


def test_nested_files(tmp_path):
    write_files(tmp_path, [("a/b/c.h", b"\xff"), ("a/d.h", b"")])
    assert (tmp_path / "a/b/c.h").read_bytes() == b"\xff"
    assert (tmp_path / "a/d.h").read_bytes() == b""


def test_hash_separates_its_parts():
    assert sha256_of("ab", "c") != sha256_of("a", "bc")
    assert sha256_of("a") == sha256_of(b"a")
    assert sha256_of() != sha256_of("")


def test_fresh_folder_is_empty(tmp_path):
    folder = fresh_folder(tmp_path / "x")
    (folder / "old").write_text("")
    assert list(fresh_folder(tmp_path / "x").iterdir()) == []
