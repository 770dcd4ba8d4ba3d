from __future__ import annotations

from pathlib import Path

from service.worker.lease import Lease, take_over_dead


def test_only_released_leases_are_taken_over(tmp_path: Path):
    alive, done, left = (Lease.acquire(tmp_path) for _ in range(3))
    assert list(take_over_dead(tmp_path)) == []
    done.release(work_left=False)
    left.release(work_left=True)

    assert list(take_over_dead(tmp_path)) == [left.executor_id]
    assert list(take_over_dead(tmp_path)) == []
    assert [path.name for path in tmp_path.iterdir()] == [f"{alive.executor_id}.lock"]
    alive.release(work_left=False)


def test_two_processes_do_not_take_over_the_same_worker(tmp_path: Path):
    left = Lease.acquire(tmp_path)
    left.release(work_left=True)

    for executor in take_over_dead(tmp_path):
        assert executor == left.executor_id
        assert list(take_over_dead(tmp_path)) == []


def test_failed_take_over_leaves_it_to_another(tmp_path: Path):
    left = Lease.acquire(tmp_path)
    left.release(work_left=True)

    taken = take_over_dead(tmp_path)
    next(taken)
    taken.close()
    assert list(take_over_dead(tmp_path)) == [left.executor_id]


def test_no_folder_means_nobody(tmp_path: Path):
    assert list(take_over_dead(tmp_path / "none")) == []
