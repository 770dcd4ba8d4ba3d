from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_stages import FINDING
from sqlalchemy import text

from agents.models import Outcome, Provenance, TargetVerdict, Verdict
from sandbox.models import Evidence
from sandbox.progress import ProgressEvent
from service.errors import ErrorRecord, NotFoundError
from service.store.ids import is_port_id, new_port_id
from service.store.records import ArtifactRecord, PortFilter, State
from service.store.store import Store, open_store

BLOB = "0" * 64


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Iterator[Store]:
    store = open_store(database_url, tmp_path / "data")
    yield store
    store.close()


def create(store: Store, name: str = "k.cu") -> str:
    port_id = new_port_id()
    store.ports.create(port_id, name, ["gfx942"], submission_sha256=BLOB, executor="me")
    return port_id


def verdict(*targets: str, reason: str = "") -> Verdict:
    return Verdict(
        outcome=Outcome.REJECTED,
        evidence=None,
        targets=tuple(
            TargetVerdict(target=target, outcome=Outcome.REJECTED, evidence=None, reasons=(reason,))
            for target in targets
        ),
        not_shown=(),
        provenance=Provenance(
            warp2wave="0", sources_sha256="", port_sha256="", toolchain="", cuda="", reference_device=""
        ),
    )


ARTIFACT = ArtifactRecord(name="a/k.hip", media_type="text/plain", sha256=BLOB, size=1)


def test_finish_writes_everything_and_only_once(store: Store):
    port_id = create(store)
    assert store.ports.claim(port_id, "me")
    assert store.ports.finish(port_id, "me", verdict("gfx942", reason="got '\0\udcff'"), [FINDING], [ARTIFACT])

    port = store.ports.get(port_id)
    assert (port.state, port.outcome, port.evidence) == (State.FINISHED, Outcome.REJECTED, None)
    assert port.verdicts[0].reasons == (r"got '\x00\udcff'",)
    assert store.ports.artifact(port_id, "a/k.hip") == ARTIFACT
    assert not store.ports.finish(port_id, "me", verdict("gfx942"), [], [])
    assert not store.ports.fail(port_id, ErrorRecord(code="x", message="late"))
    assert not store.ports.claim(port_id, "me")
    assert store.ports.get(port_id) == port


def test_former_owner_is_shut_out(store: Store):
    port_id = create(store)
    assert store.ports.claim(port_id, "first")
    assert store.stage_outputs.put(port_id, "judge", ErrorRecord(code="a", message=""), 1.0, executor="first")
    assert store.ports.claim(port_id, "second")

    assert not store.ports.finish(port_id, "first", verdict("gfx942"), [], [])
    assert not store.ports.fail(port_id, ErrorRecord(code="x", message=""), executor="first")
    assert not store.stage_outputs.put(port_id, "judge", ErrorRecord(code="b", message=""), 1.0, executor="first")
    assert store.stage_outputs.get(port_id, "judge", ErrorRecord).code == "a"
    assert store.stage_outputs.seconds(port_id) == {"judge": 1.0}
    assert store.ports.held_by("first") == []
    assert store.ports.held_by("second") == [port_id]
    assert store.ports.finish(port_id, "second", verdict("gfx942"), [], [])
    with pytest.raises(KeyError):
        store.stage_outputs.get(port_id, "judge", ErrorRecord)


def test_list_pages_through_newest_first(store: Store):
    ids = [create(store, name=f"{n % 2}.cu") for n in range(5)]
    # Ids of one millisecond sort by chance: the list goes by id.
    ids.sort(reverse=True)

    seen: list[str] = []
    before = None
    while True:
        page = store.ports.page(PortFilter(), limit=2, before=before)
        seen += [port.id for port in page.ports]
        if page.next is None:
            break
        before = page.next
    assert seen == ids

    store.ports.fail(ids[0], ErrorRecord(code="submission", message="empty"))
    (failed,) = store.ports.page(PortFilter(state=State.FAILED), limit=9).ports
    assert failed.id == ids[0]
    assert failed.error == ErrorRecord(code="submission", message="empty")
    assert len(store.ports.page(PortFilter(name="1.cu"), limit=9).ports) == 2
    assert store.ports.page(PortFilter(outcome=Outcome.ACCEPTED), limit=9).ports == ()


def test_events_keep_their_order(store: Store):
    first, second = create(store), create(store)
    for stage in ("translate", "judge"):
        store.events.append(first, ProgressEvent(stage=stage, status="started", message="a\0b\udcff" + "x" * 5000))
        store.events.append(second, ProgressEvent(stage=stage, status="started"))

    events = store.events.after(first, 0)
    assert [event.stage for event in events] == ["translate", "judge"]
    assert events[0].message.startswith(r"a\x00b\udcff")
    assert len(events[0].message) == 2000
    assert store.events.after(first, events[0].id) == events[1:]
    assert store.ports.get(first).stage == "judge"


def test_unknown_names_are_not_found(store: Store):
    port_id = create(store)
    for name in ("nope", "../../etc/passwd", "a\0", "\udcff", ""):
        with pytest.raises(NotFoundError):
            store.ports.artifact(port_id, name)
    with pytest.raises(NotFoundError):
        store.report(port_id)
    store.ports.refuse(refused := new_port_id(), "x" * 900 + "\0", [], ErrorRecord(code="too-large", message="50 MB"))
    assert len(store.ports.get(refused).name) == 500
    with pytest.raises(NotFoundError):
        store.ports.submission(refused)


def test_find_by_beginning(store: Store):
    first, second = create(store), create(store)
    assert store.ports.find(first) == first
    different = next(at for at in range(27) if first[:at] != second[:at])
    assert store.ports.find(second[:different]) == second
    for beginning in (first[: different - 1], "%", "_" * 26, "zzz", "\udcff", "a\0"):
        with pytest.raises(NotFoundError):
            store.ports.find(beginning)


def test_times_are_utc(store: Store):
    port = store.ports.get(create(store))
    assert port.created_at.utcoffset().total_seconds() == 0


QUERIES = {
    "page": "SELECT * FROM ports WHERE id < 'x' ORDER BY id DESC LIMIT 51",
    "by state": "SELECT * FROM ports WHERE state = 'failed' ORDER BY id DESC LIMIT 51",
    "by outcome": "SELECT * FROM ports WHERE outcome = 'accepted' ORDER BY id DESC LIMIT 51",
    "by name": "SELECT * FROM ports WHERE name = 'k.cu' ORDER BY id DESC LIMIT 51",
    "held": "SELECT id FROM ports WHERE executor = 'e' AND state IN ('queued', 'running')",
    "findings": "SELECT * FROM findings WHERE port_id = 'p' ORDER BY position",
    "artifacts": "SELECT * FROM artifacts WHERE port_id = 'p' ORDER BY name",
    "events": "SELECT * FROM events WHERE port_id = 'p' AND id > 7 ORDER BY id",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_queries_use_an_index(tmp_path: Path, query: str):
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}", tmp_path)
    with store.database.reading() as session:
        plan = [row[3] for row in session.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
    assert all(step.startswith("SEARCH") for step in plan)
    store.close()


def test_ids_sort_by_time_and_look_like_ids():
    ids = [new_port_id() for _ in range(100)]
    assert len(set(ids)) == 100
    assert all(map(is_port_id, ids))
    assert ids[0][:8] <= ids[-1][:8]
    assert not is_port_id(ids[0].upper())
    assert not is_port_id(ids[0] + "0")


def test_store_survives_reopening_and_statement_of_evidence(store: Store):
    port_id = create(store)
    store.ports.claim(port_id, "me")
    store.ports.finish(port_id, "me", verdict("gfx942").model_copy(update={"evidence": Evidence.EMULATED}), [], [])
    assert store.ports.get(port_id).evidence is Evidence.EMULATED
