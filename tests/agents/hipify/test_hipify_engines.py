from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from agents.errors import EngineError
from agents.hipify import Dialect, Options
from agents.hipify.comparison import compare_texts
from agents.hipify.engines import ENGINES, find_engines, load_engine, process

SOURCE = "// \udcff\nint main() { cudaFree(0); }\n"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder where tools are looked for, beside the system's own."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "rocm"))
    monkeypatch.delenv("CUDA_PATH", raising=False)
    return tmp_path


def put(folder: Path, name: str, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(stat.S_IRWXU)


def test_only_what_is_installed_is_found(tools: Path) -> None:
    assert set(find_engines()) & {"hipify-perl", "hipify-clang"} == set()
    put(tools, "hipify-perl", "exit 0")
    put(tools / "rocm" / "bin", "hipify-clang", "exit 0")
    found = find_engines()
    assert found["hipify-perl"] == str(tools / "hipify-perl")
    assert found["hipify-clang"] == str(tools / "rocm" / "bin" / "hipify-clang")
    assert found["builtin"].startswith("warp2wave ")
    assert next(iter(ENGINES)) == "builtin"


def test_perl_gets_the_options_and_gives_stdout(tools: Path) -> None:
    put(tools, "hipify-perl", 'echo "$1 $2"; for last; do :; done; sed s/cuda/hip/ "$last"; echo "note: $last" >&2')
    options = Options(dialect=Dialect(roc=True), hip_launches=True)
    output = load_engine("hipify-perl").translate(SOURCE, path="dir/a.cu", options=options)
    assert output.text == "-roc -hip-kernel-execution-syntax\n" + SOURCE.replace("cuda", "hip")
    assert output.messages == "note: a.cu\n"


def test_clang_gets_defines_and_gives_its_file(tools: Path) -> None:
    put(tools, "hipify-clang", 'cat "$1" > "$3"; shift 3; echo "$@" >> "$3"; printf "%s " "$@" > args; cp args "$OUT"')
    os.environ["OUT"] = str(tools / "args")
    load_engine("hipify-clang").translate(SOURCE, path="a.cu", options=Options(defines=("A=1",), skip_excluded=True))
    assert (tools / "args").read_text() == ("--skip-excluded-preprocessor-conditional-blocks -- -x cuda -DA=1 ")


@pytest.mark.parametrize(
    ("script", "complaint"),
    [("echo broken >&2; exit 3", "exit code 3"), ("exit 0", "exit code 0"), ("sleep 60", "took more than")],
)
def test_a_tool_that_fails_is_an_error(
    tools: Path, monkeypatch: pytest.MonkeyPatch, script: str, complaint: str
) -> None:
    monkeypatch.setattr(process, "TIMEOUT_SECONDS", 0.3)
    put(tools, "hipify-perl", f"exec 1>&1; {script}" if script != "sleep 60" else "exec sleep 60")
    with pytest.raises(EngineError, match=complaint):
        load_engine("hipify-perl").translate(SOURCE, path="a.cu", options=Options())


@pytest.mark.parametrize("name", ["hipify-perl", "hipify-clang", "hipify_torch"])
def test_a_missing_tool_is_an_error(tools: Path, name: str) -> None:
    with pytest.raises(EngineError, match="not installed"):
        load_engine(name).translate(SOURCE, path="a.cu", options=Options())


def test_an_unknown_engine_is_an_error() -> None:
    with pytest.raises(EngineError, match="no engine moon"):
        load_engine("moon")


def test_torch_runs_in_a_process_of_its_own(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tools / "hipify_torch"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "hipify_python.py").write_text(
        "def hipify(project_directory, output_directory, includes, extra_files, **options):\n"
        "    print('chatter')\n"
        "    text = open(extra_files[0], 'rb').read().replace(b'cuda', b'hip')\n"
        "    open('out.hip', 'wb').write(text)\n"
        "    return {extra_files[0]: {'hipified_path': 'out.hip'}}\n"
    )
    monkeypatch.syspath_prepend(str(tools))
    monkeypatch.setenv("PYTHONPATH", str(tools))
    output = load_engine("hipify_torch").translate(SOURCE, path="a.cu", options=Options())
    assert output.text == SOURCE.replace("cuda", "hip")
    assert "chatter" in output.messages


def test_differences_are_grouped_by_place() -> None:
    texts = {"builtin": "a\nb\nc\nd\n", "x": "a\nB  \nc\nd\n", "y": "a\nb\nc\nnew\nd\n", "z": "a\nb\nc \nd\n"}
    found = compare_texts("builtin", texts)
    assert [(d.first, d.end) for d in found] == [(2, 3), (4, 4)]
    assert found[0].texts == {"builtin": ("b",), "x": ("B",), "y": ("b",), "z": ("b",)}
    assert found[1].texts == {"builtin": (), "x": (), "y": ("new",), "z": ()}


def test_equal_texts_do_not_differ() -> None:
    assert compare_texts("builtin", {"builtin": "a\n", "x": "a"}) == []
