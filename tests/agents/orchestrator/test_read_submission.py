"""Reading programs from disk: what is taken along and what is refused."""

import pytest

from agents.errors import SubmissionError
from agents.orchestrator.submission import MAX_FILE_BYTES, Program, read_submission

KERNEL = "__global__ void k() {}\n"


def read(*files, include_dirs=()):
    return read_submission(Program(files=files, include_dirs=include_dirs), targets=("gfx942",))


def test_local_headers_come_along_with_relative_paths(tmp_path):
    (tmp_path / "src/inner").mkdir(parents=True)
    (tmp_path / "inc").mkdir()
    main = tmp_path / "src/a.cu"
    main.write_text('#include "inner/x.cuh"\n#include <y.h>\n#include <cstdio>\n' + KERNEL)
    (tmp_path / "src/inner/x.cuh").write_text('#include "../z.h"\n')
    (tmp_path / "src/z.h").write_text("// z\n")
    (tmp_path / "inc/y.h").write_text("// y\n")
    submission = read(main, include_dirs=[tmp_path / "inc", tmp_path / "nothing"])
    assert sorted(f.path for f in submission.files) == ["inc/y.h", "src/a.cu", "src/inner/x.cuh", "src/z.h"]
    assert submission.main_files == ("src/a.cu",)
    assert submission.build.include_dirs == ("inc",)


def test_a_lone_file_keeps_its_name(tmp_path):
    main = tmp_path / "a.cu"
    main.write_bytes(KERNEL.encode() + b"// caf\xe9\r\n")
    submission = read(main)
    assert submission.main_files == ("a.cu",)
    assert submission.files[0].text.encode("utf-8", "surrogateescape") == main.read_bytes()


def test_headers_that_include_each_other_end(tmp_path):
    (tmp_path / "a.cu").write_text('#include "b.h"\n' + KERNEL)
    (tmp_path / "b.h").write_text('#include "c.h"\n')
    (tmp_path / "c.h").write_text('#include "b.h"\n#include "a.cu"\n')
    assert len(read(tmp_path / "a.cu").files) == 3


def test_kernel_in_a_header_is_enough(tmp_path):
    (tmp_path / "a.cu").write_text('#include "k.cuh"\nint main() {}\n')
    (tmp_path / "k.cuh").write_text(KERNEL)
    assert read(tmp_path / "a.cu")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\x7fELF\0\0\0", "is binary"),
        (b"int main() { return 0; }\n", "no kernel"),
        (b"x" * (MAX_FILE_BYTES + 1), "10 MiB"),
    ],
    ids=["empty", "blank", "binary", "no kernel", "huge"],
)
def test_unusable_files_are_refused_with_the_reason(tmp_path, content, words):
    path = tmp_path / "a.cu"
    path.write_bytes(content)
    with pytest.raises(SubmissionError, match=words):
        read(path)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(SubmissionError, match="does not exist"):
        read(tmp_path / "none.cu")
    with pytest.raises(SubmissionError, match="is not a file"):
        read(tmp_path)
