"""Repository of ports. Each function is one short transaction: a killed process leaves whole rows or none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from agents.models import Finding, Outcome, Verdict
from sandbox.models import Evidence
from service.errors import ErrorRecord, NotFoundError
from service.store.database import Database
from service.store.documents import decode_model, encode_json, encode_model
from service.store.ids import is_port_id
from service.store.records import (
    ArtifactRecord,
    PortFilter,
    PortPage,
    PortRecord,
    PortSummary,
    State,
    TargetRecord,
)
from service.store.tables import ArtifactRow, EventRow, FindingRow, PortRow, StageOutputRow, VerdictRow
from service.text import storable

ACTIVE = (State.QUEUED, State.RUNNING)


class Ports:
    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, port_id: str, name: str, targets: Sequence[str], *, submission_sha256: str, executor: str) -> None:
        """A queued port. ``submission_sha256`` must be in the blob store already."""
        row = _new_row(port_id, name, targets, State.QUEUED)
        row.submission_sha256 = submission_sha256
        row.executor = executor
        with self._database.writing() as session:
            session.add(row)

    def refuse(self, port_id: str, name: str, targets: Sequence[str], error: ErrorRecord) -> None:
        """A port that failed before it began: the row says what was wrong with the submission."""
        row = _new_row(port_id, name, targets, State.FAILED)
        row.error = encode_model(error)
        row.finished_at = row.created_at
        with self._database.writing() as session:
            session.add(row)

    def claim(self, port_id: str, executor: str) -> bool:
        """Take an active port in hand. False where it is final: there is nothing left to do."""
        with self._database.writing() as session:
            changed = session.exec(
                update(PortRow)
                .where(col(PortRow.id) == port_id, col(PortRow.state).in_(ACTIVE))
                .values(state=State.RUNNING, executor=executor, updated_at=datetime.now(UTC))
            )
            return changed.rowcount == 1

    def finish(
        self,
        port_id: str,
        executor: str,
        verdict: Verdict,
        findings: Sequence[Finding],
        artifacts: Sequence[ArtifactRecord],
    ) -> bool:
        """End a port with its verdict, findings and artifacts, all at once. The artifacts' contents must be
        in the blob store already. False, and no change, where the port is final or in other hands."""
        values = {"outcome": verdict.outcome, "evidence": verdict.evidence, "stage": "accept"}
        with self._database.writing() as session:
            if not _end(session, port_id, State.FINISHED, executor=executor, **values):
                return False
            session.add_all(_finding_row(port_id, at, finding) for at, finding in enumerate(findings))
            session.add_all(
                VerdictRow(
                    port_id=port_id,
                    target=target.target,
                    outcome=target.outcome,
                    evidence=target.evidence,
                    reasons=encode_json([storable(reason) for reason in target.reasons]),
                    code_object_sha256=target.build.code_object_sha256 if target.build else "",
                )
                for target in verdict.targets
            )
            session.add_all(ArtifactRow(port_id=port_id, **artifact.model_dump()) for artifact in artifacts)
            return True

    def fail(self, port_id: str, error: ErrorRecord, *, executor: str | None = None) -> bool:
        """End a port without a verdict, as cancelled where that is the error. False, and no change, where the
        port is final or, with ``executor``, in other hands."""
        state = State.CANCELLED if error.code == "cancelled" else State.FAILED
        with self._database.writing() as session:
            return _end(session, port_id, state, executor=executor, error=encode_model(error))

    def request_cancel(self, port_id: str) -> State:
        """Ask an active port to stop. One that has not begun is cancelled at once. Returns the new state."""
        with self._database.writing() as session:
            row = session.get(PortRow, port_id, with_for_update=True) if is_port_id(port_id) else None
            if row is None:
                raise _not_found(port_id)
            state = State(row.state)
            if state is State.QUEUED:
                error = ErrorRecord(code="cancelled", message="cancelled before it began")
                _end(session, port_id, State.CANCELLED, error=encode_model(error))
                return State.CANCELLED
            if state is State.RUNNING:
                row.cancel_requested = True
                row.updated_at = datetime.now(UTC)
            return state

    def cancel_requests(self, port_ids: Sequence[str]) -> set[str]:
        """Those of ``port_ids`` that should stop."""
        wanted = select(PortRow.id).where(col(PortRow.id).in_(port_ids), col(PortRow.cancel_requested))
        with self._database.reading() as session:
            return set(session.exec(wanted))

    def held_by(self, executor: str) -> list[str]:
        """Active ports in the hands of ``executor``, oldest first."""
        wanted = (
            select(PortRow.id)
            .where(PortRow.executor == executor, col(PortRow.state).in_(ACTIVE))
            .order_by(col(PortRow.id))
        )
        with self._database.reading() as session:
            return list(session.exec(wanted))

    def state(self, port_id: str) -> State:
        with self._database.reading() as session:
            return State(_row(session, port_id).state)

    def submission(self, port_id: str) -> tuple[str, tuple[str, ...]]:
        """(hash of the submission, targets). Raises NotFoundError where there is none."""
        with self._database.reading() as session:
            row = _row(session, port_id)
            if row.submission_sha256 is None:
                raise NotFoundError(f"port {port_id} has no submission: it was refused unread")
            return row.submission_sha256, tuple(json.loads(row.targets))

    def get(self, port_id: str) -> PortRecord:
        with self._database.reading() as session:
            row = _row(session, port_id)
            verdicts = session.exec(select(VerdictRow).where(VerdictRow.port_id == port_id)).all()
            findings = session.exec(
                select(FindingRow).where(FindingRow.port_id == port_id).order_by(col(FindingRow.position))
            ).all()
            artifacts = session.exec(
                select(ArtifactRow).where(ArtifactRow.port_id == port_id).order_by(col(ArtifactRow.name))
            ).all()
        order = {target: at for at, target in enumerate(json.loads(row.targets))}
        return PortRecord(
            **_summary_fields(row),
            verdicts=tuple(
                _target_record(each) for each in sorted(verdicts, key=lambda each: order.get(each.target, len(order)))
            ),
            findings=tuple(decode_model(Finding, each.document) for each in findings),
            artifacts=tuple(_artifact_record(each) for each in artifacts),
        )

    def artifact(self, port_id: str, name: str) -> ArtifactRecord:
        """Raises NotFoundError for any name that is not one of the port's artifacts."""
        with self._database.reading() as session:
            _row(session, port_id)
            row = session.get(ArtifactRow, (port_id, name)) if name == storable(name) else None
            if row is None:
                raise NotFoundError(f"port {port_id} has no artifact {storable(name, 200)!r}")
            return _artifact_record(row)

    def find(self, beginning: str) -> str:
        """The one port whose id begins so. Raises NotFoundError where there is none, or more than one."""
        query = select(PortRow.id).where(col(PortRow.id).startswith(beginning, autoescape=True)).limit(2)
        with self._database.reading() as session:
            found = session.exec(query).all() if beginning == storable(beginning) else []
        if len(found) > 1:
            raise NotFoundError(f"more than one port begins with {beginning!r}", hint="give more of the id")
        if not found:
            raise _not_found(beginning)
        return found[0]

    def page(self, wanted: PortFilter, *, limit: int, before: str | None = None) -> PortPage:
        """Newest first; ``before`` is a port id, exclusive."""
        query = select(PortRow).order_by(col(PortRow.id).desc()).limit(limit + 1)
        if before is not None:
            query = query.where(PortRow.id < before)
        for column, value in wanted.model_dump(exclude_none=True).items():
            query = query.where(getattr(PortRow, column) == value)
        with self._database.reading() as session:
            rows = session.exec(query).all()
        more = len(rows) > limit
        ports = tuple(PortSummary(**_summary_fields(row)) for row in rows[:limit])
        return PortPage(ports=ports, next=ports[-1].id if more else None)


def _new_row(port_id: str, name: str, targets: Sequence[str], state: State) -> PortRow:
    now = datetime.now(UTC)
    return PortRow(
        id=port_id,
        name=storable(name, 500),
        state=state,
        targets=encode_json([storable(target) for target in targets]),
        executor="",
        created_at=now,
        updated_at=now,
    )


def _end(session: Session, port_id: str, state: State, *, executor: str | None = None, **values: object) -> bool:
    now = datetime.now(UTC)
    query = update(PortRow).where(col(PortRow.id) == port_id, col(PortRow.state).in_(ACTIVE))
    if executor is not None:
        query = query.where(col(PortRow.executor) == executor)
    changed = session.exec(query.values(state=state, updated_at=now, finished_at=now, **values))
    if changed.rowcount != 1:
        return False
    session.exec(delete(StageOutputRow).where(col(StageOutputRow.port_id) == port_id))
    session.add(EventRow(port_id=port_id, at=now, stage="port", status="finished", message=str(state)))
    return True


def _row(session: Session, port_id: str) -> PortRow:
    row = session.get(PortRow, port_id) if is_port_id(port_id) else None
    if row is None:
        raise _not_found(port_id)
    return row


def _not_found(port_id: str) -> NotFoundError:
    return NotFoundError(f"there is no port {storable(port_id, 100)!r}", hint="`warp2wave list` shows the ports")


def _finding_row(port_id: str, position: int, finding: Finding) -> FindingRow:
    texts = {name: storable(value) for name, value in finding.model_dump().items() if type(value) is str}
    clean = finding.model_copy(update=texts)
    return FindingRow(
        port_id=port_id,
        position=position,
        fault=clean.fault,
        file=clean.file,
        line=clean.line,
        severity=clean.severity,
        action=clean.action,
        document=encode_model(clean),
    )


def _summary_fields(row: PortRow) -> dict[str, object]:
    return {
        "id": row.id,
        "name": row.name,
        "state": State(row.state),
        "stage": row.stage,
        "outcome": Outcome(row.outcome) if row.outcome else None,
        "evidence": Evidence(row.evidence) if row.evidence else None,
        "targets": tuple(json.loads(row.targets)),
        "error": decode_model(ErrorRecord, row.error) if row.error else None,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "finished_at": row.finished_at,
    }


def _target_record(row: VerdictRow) -> TargetRecord:
    return TargetRecord(
        target=row.target,
        outcome=Outcome(row.outcome),
        evidence=Evidence(row.evidence) if row.evidence else None,
        reasons=tuple(json.loads(row.reasons)),
        code_object_sha256=row.code_object_sha256,
    )


def _artifact_record(row: ArtifactRow) -> ArtifactRecord:
    return ArtifactRecord(name=row.name, media_type=row.media_type, sha256=row.sha256, size=row.size)
