"""The translator process, with front ends and compilers that are scripts: what it does with good and bad requests."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from translator_process import Translator


def test_a_unit_is_translated_into_its_place(translator: Translator) -> None:
    reply = translator.ask("one two", "one")
    assert reply == {"ok": True, "object": translator.object_path("one two", "one")}
    built = translator.cache / reply["object"]
    assert built.read_text() == "text of one for gfx942"
    assert built.stat().st_mode & 0o222 == 0
    assert "one: 12 instructions" in translator.read_log()


def test_what_is_in_the_cache_is_not_translated_again(translator: Translator) -> None:
    translator.ask("one two", "one")
    calls = len(translator.calls())
    assert translator.ask("one two", "one")["ok"]
    assert len(translator.calls()) == calls
    assert translator.ask("one two", "one", target="gfx950")["object"] == translator.object_path(
        "one two", "one", target="gfx950"
    )
    assert len(translator.calls()) == 2 * calls


def test_the_key_is_computed_from_the_image_that_came(translator: Translator) -> None:
    first = translator.ask("one two", "one")["object"]
    second = translator.ask("one two three", "one")["object"]
    assert first.split("/")[2] != second.split("/")[2]


def test_flavours_of_one_kernel_are_kept_apart(translator: Translator) -> None:
    plain = translator.cache / translator.ask("one two", "one")["object"]
    reply = translator.ask("one two", "one", flavour="checks+counters")
    assert reply["object"] == translator.object_path("one two", "one", flavour="checks+counters")
    assert (translator.cache / reply["object"]).read_text() == "text of one for gfx942 with checks+counters"
    assert plain.read_text() == "text of one for gfx942"
    assert "gfx942+checks+counters" in translator.read_log()


def test_all_units_of_a_flavour_are_noted_for_that_flavour(translator: Translator) -> None:
    assert translator.ask("one two", "", flavour="checks")["ok"]
    checked = translator.cache / translator.object_path("one two", "two", flavour="checks")
    assert checked.is_file()
    assert checked.with_name("ahead-done").exists()
    assert not (checked.parents[1] / "ahead-done").exists()


def test_a_flavour_that_a_kind_does_not_have_is_refused(translator: Translator) -> None:
    assert translator.ask("one two", "one", flavour="unknown")["code"] == "unknown-flavour"


def test_an_empty_unit_translates_all_units(translator: Translator) -> None:
    reply = translator.ask("one two three", "")
    assert reply["ok"]
    for unit in ("one", "two", "three"):
        place = translator.cache / translator.object_path("one two three", unit)
        assert place.is_file()
        assert place.with_name("ahead-done").exists()


def test_ahead_is_not_done_while_a_unit_fails(translator: Translator) -> None:
    assert translator.ask("one unknown", "")["code"] == "unknown-unit"
    place = translator.cache / translator.object_path("one unknown", "one")
    assert place.is_file()
    assert not place.with_name("ahead-done").exists()


def test_a_kind_with_one_unit_an_image(translator: Translator) -> None:
    reply = translator.ask("whole program", "", kind="ptx", target="sm_90")
    assert reply == {"ok": True, "object": translator.object_path("whole program", "", kind="ptx", target="sm_90")}
    assert (translator.cache / reply["object"]).is_file()


def test_libraries_of_kernels_are_not_translated_ahead(translator: Translator) -> None:
    reply = translator.ask(" ".join(f"kernel{i}" for i in range(65)), "")
    assert (reply["ok"], reply["code"]) == (False, "too-many-units")
    assert translator.calls() == []


def test_long_units_are_there_quickly_and_optimised_behind_that(translator: Translator) -> None:
    best = translator.object_path("one long", "long")
    quick = best.removesuffix(".so") + ".quick.so"
    assert translator.ask("one long", "long") == {"ok": True, "object": quick}
    assert (translator.cache / quick).is_file()
    deadline = time.monotonic() + 20
    while not (translator.cache / best).is_file():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert translator.ask("one long", "long") == {"ok": True, "object": best}
    first, second = (call for call in translator.calls() if "/clang " in call)
    assert "-O0" in first
    assert "-O2" in second


def test_short_units_are_optimised_at_once(translator: Translator) -> None:
    assert translator.ask("one", "one")["object"] == translator.object_path("one", "one")
    assert len([call for call in translator.calls() if "/clang " in call]) == 1


def test_all_units_are_there_quickly_before_one_is_optimised(translator: Translator) -> None:
    assert translator.ask("long one", "")["ok"]
    levels = [call.split("-O")[1][0] for call in translator.calls() if "/clang " in call]
    assert levels == ["0", "2", "2"]
    assert (translator.cache / translator.object_path("long one", "long")).is_file()


def test_compilers_get_the_flags_of_the_language_and_the_unit(translator: Translator) -> None:
    for unit in ("one", "large", "in_c", "flags"):
        assert translator.ask("one large in_c flags", unit)["ok"]
    one, large, in_c, flags = (call for call in translator.calls() if "/clang " in call)
    assert "-x ir" in one
    assert "-O2" in one
    assert "-O1" in large
    assert "-x c" in in_c
    assert flags.split(" -c ")[0].endswith("-DEXTRA")
    for call in (one, large, in_c, flags):
        assert "-ffp-contract=off" in call
        assert "-march=x86-64-v3" in call
        assert "-mlink-builtin-bitcode" in call


@pytest.mark.parametrize(
    ("unit", "code", "words"),
    [
        ("unknown", "unknown-unit", "no such kernel"),
        ("raise", "internal-error", "ValueError: a mistake (translate.py:"),
        ("bad_code", "compiler-failed", "expected top-level entity"),
        ("crash", "translator-crashed", "status 9"),
    ],
)
def test_a_failed_translation_is_an_answer_and_the_server_lives_on(
    translator: Translator, unit: str, code: str, words: str
) -> None:
    reply = translator.ask(f"{unit} good", unit)
    assert (reply["ok"], reply["code"]) == (False, code)
    assert words in reply["message"]
    assert translator.ask(f"{unit} good", "good")["ok"]
    assert list(translator.cache.rglob(".new-*")) == []


def test_a_broken_image_is_refused_by_the_front_end(translator: Translator) -> None:
    assert translator.ask("broken", "")["code"] == "bad-image"


def test_a_translation_without_end_is_ended(tmp_path: Path) -> None:
    with Translator(tmp_path, job_seconds=1) as translator:
        reply = translator.ask("hang good", "hang")
        assert reply["code"] == "translator-timeout"
        assert translator.ask("hang good", "good")["ok"]


def header(**changes: object) -> bytes:
    fields = {"kind": "cdna", "target": "gfx942", "flavour": "", "unit": "one", "size": 3} | changes
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode() + b"\n"


BAD_REQUESTS = [
    b"",
    b"\n",
    b"\x00\xff\xfe\n",
    b"[" * 100_000 + b"\n",
    b"x" * 1_000_000,
    b"[]\n",
    b'{"kind": "cdna"}\n',
    header(extra=1) + b"one",
    header(kind="../cdna") + b"one",
    header(kind=["cdna"]) + b"one",
    header(target="../../etc") + b"one",
    header(target="") + b"one",
    header(target=None) + b"one",
    header(flavour=None) + b"one",
    header(flavour="..") + b"one",
    header(flavour="checks/..") + b"one",
    header(flavour="checks+") + b"one",
    header(flavour=1) + b"one",
    header(unit=7) + b"one",
    header(unit="a\0b") + b"one",
    header(unit="\ud800") + b"one",
    header(unit="a" * 40_000) + b"one",
    header(size=-1) + b"one",
    header(size=0),
    header(size=True) + b"o",
    header(size="3") + b"one",
    header(size=1 << 40) + b"one",
    header(size=30) + b"one",
]


def test_malformed_requests_are_answered_and_leave_nothing(translator: Translator) -> None:
    for request in BAD_REQUESTS:
        reply = translator.send(request)
        assert (reply["ok"], reply["code"]) == (False, "bad-request"), request[:80]
        assert "\n" not in reply["message"]
    assert translator.ask("one", "one")["ok"]
    assert list(translator.folder.rglob("image-*")) == []


def test_clients_that_go_away_or_stall_do_no_harm(translator: Translator) -> None:
    stalled = [translator.connect() for _ in range(10)]
    for connection in stalled:
        connection.sendall(header(size=1000) + b"x")
    gone = translator.connect()
    gone.sendall(header(unit="slow", size=4) + b"slow")
    gone.close()
    assert translator.ask("one", "one")["ok"]
    for connection in stalled:
        connection.close()


def test_equal_requests_share_one_translation(translator: Translator) -> None:
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(translator.ask("slow one", "slow"))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply["ok"] for reply in replies] == [True] * 5
    assert len([call for call in translator.calls() if "/clang " in call]) == 1


def test_a_kernel_needed_now_does_not_wait_for_those_ahead(translator: Translator) -> None:
    image = " ".join(f"slow{i}" for i in range(8))
    ahead = threading.Thread(target=translator.ask, args=(image, ""))
    ahead.start()
    time.sleep(0.6)  # the first of them is being translated
    started = time.monotonic()
    assert translator.ask(image, "slow7")["ok"]  # the last in the queue
    assert time.monotonic() - started < 1.2
    done = list((translator.cache / translator.object_path(image, "slow7")).parent.glob("*.so"))
    assert len(done) < 8
    ahead.join()


def test_names_from_the_image_cannot_forge_log_lines(translator: Translator) -> None:
    unit = "one\nptx sm_90 forged: 1 instructions"
    translator.ask(unit, unit)
    assert not any(line.startswith("ptx") for line in translator.read_log().splitlines())
