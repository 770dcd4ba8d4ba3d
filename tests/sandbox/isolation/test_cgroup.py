"""Finding, making and reading control groups, in folders that look like the kernel's."""

from __future__ import annotations

import os

import pytest

from sandbox.isolation.cgroup import Hierarchy, find_v1, find_v2, make_groups, remove_orphans
from sandbox.isolation.cgroup_counts import Counts, group_counts
from sandbox.isolation.cgroup_meter import CgroupMeter, CountsMeter
from sandbox.isolation.owner import owner_mark
from sandbox.isolation.protocol import LimitName, Limits

LIMITS = Limits(memory_bytes=1000, pids=10, cpu_seconds=2.0)


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def v2_tree(top, *, delegated_at):
    """/user.slice/app with us in it; the folder that hands on its controllers is chosen."""
    for folder in (top, top / "user.slice", top / "user.slice/app"):
        control = "cpu memory pids" if folder == delegated_at else "cpu"
        write(folder, cgroup__procs="", cgroup__subtree_control=control)


def v2_mount(top, root="/"):
    return f"30 24 0:26 {root} {top} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"


def v1_mounts(top):
    lines = [
        f"{n} 24 0:{n} / {top}/{name} rw - cgroup cgroup rw,{name}"
        for n, name in enumerate(("memory", "pids", "cpu,cpuacct"))
    ]
    return "\n".join(lines) + "\n24 1 0:1 / / rw - ext4 /dev/vda rw,discard\n"


V1_MEMBERSHIP = "4:memory:/jobs/7\n3:cpu,cpuacct:/\n2:pids:/\n0::/\n"


def v1_tree(top):
    for name in ("memory/jobs/7", "pids", "cpu,cpuacct"):
        write(top / name, cgroup__procs="")


@pytest.mark.parametrize("at", ["user.slice/app", "user.slice", "."])
def test_v2_takes_the_nearest_group_that_hands_on(tmp_path, at):
    v2_tree(tmp_path, delegated_at=tmp_path / at)
    found = find_v2(v2_mount(tmp_path), "0::/user.slice/app\n")
    parents = {"memory": tmp_path / at, "pids": tmp_path / at}
    assert found == Hierarchy(2, parents, frozenset({tmp_path}))


def test_v2_is_not_used_without_memory_and_pids(tmp_path):
    v2_tree(tmp_path, delegated_at=None)
    assert find_v2(v2_mount(tmp_path), "0::/user.slice/app\n") is None


def test_v2_in_a_mount_that_shows_a_part(tmp_path):
    write(tmp_path / "app", cgroup__procs="", cgroup__subtree_control="memory pids")
    found = find_v2(v2_mount(tmp_path, root="/user.slice"), "0::/user.slice/app\n")
    assert found.parents["memory"] == tmp_path / "app"
    assert find_v2(v2_mount(tmp_path, root="/other"), "0::/user.slice/app\n") is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_v2_is_not_used_where_we_may_not_write(tmp_path):
    v2_tree(tmp_path, delegated_at=tmp_path)
    tmp_path.chmod(0o555)
    assert find_v2(v2_mount(tmp_path), "0::/user.slice/app\n") is None


def test_v1_takes_our_own_groups(tmp_path):
    v1_tree(tmp_path)
    found = find_v1(v1_mounts(tmp_path), V1_MEMBERSHIP)
    assert found == Hierarchy(
        1,
        {"memory": tmp_path / "memory/jobs/7", "pids": tmp_path / "pids", "cpuacct": tmp_path / "cpu,cpuacct"},
        frozenset(tmp_path / name for name in ("memory", "pids", "cpu,cpuacct")),
    )


@pytest.mark.parametrize("missing", ["memory", "pids", "cpuacct"])
def test_v1_needs_all_three(tmp_path, missing):
    v1_tree(tmp_path)
    mounts = "\n".join(line for line in v1_mounts(tmp_path).splitlines() if missing not in line.rsplit(" ", 1)[1])
    assert find_v1(mounts, V1_MEMBERSHIP) is None


def test_v1_limits_and_counts(tmp_path):
    groups = {name: write(tmp_path / name) for name in ("memory", "pids", "cpuacct")}
    meter = CgroupMeter(Hierarchy(1, groups), LIMITS, 4242)
    memory, pids, cpu = (next(folder.iterdir()) for folder in (groups["memory"], groups["pids"], groups["cpuacct"]))
    assert (memory / "memory.limit_in_bytes").read_text() == "1000"
    assert (pids / "pids.max").read_text() == "11"
    write(memory, memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", memory__max_usage_in_bytes="77")
    write(pids, pids__events="max 0\n")
    write(cpu, cpuacct__usage="1500000000\n")
    assert meter.broken_limit() is None
    assert (meter.cpu_seconds(), meter.peak_memory_bytes()) == (1.5, 77)
    write(cpu, cpuacct__usage="2500000000\n")
    assert meter.broken_limit() is LimitName.CPU_TIME
    assert meter.enforced_at_end() is None
    write(pids, pids__events="max 3\n")
    assert meter.broken_limit() is LimitName.PIDS
    write(memory, memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
    assert meter.enforced_at_end() is LimitName.MEMORY
    assert {(folder / "cgroup.procs").read_text() for folder in (memory, pids, cpu)} == {"4242"}


def test_v2_limits_and_counts(tmp_path):
    meter = CgroupMeter(Hierarchy(2, {"memory": tmp_path, "pids": tmp_path}), LIMITS, 4242)
    (group,) = tmp_path.iterdir()
    assert ((group / "memory.max").read_text(), (group / "pids.max").read_text()) == ("1000", "11")
    events = "low 0\nhigh 0\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n"
    write(group, memory__events=events, pids__events="max 0\n", cpu__stat="usage_usec 1500000\nuser_usec 1\n")
    assert meter.broken_limit() is None
    assert (meter.cpu_seconds(), meter.peak_memory_bytes()) == (1.5, None)
    write(group, memory__peak="99\n", memory__events=events.replace("oom_kill 0", "oom_kill 2"))
    assert meter.broken_limit() is LimitName.MEMORY
    assert meter.peak_memory_bytes() == 99


def test_the_last_counts_stay_when_the_group_is_gone(tmp_path):
    write(tmp_path, memory__events="oom_kill 0\n", pids__events="max 0\n", cpu__stat="usage_usec 700000\n")
    meter = CountsMeter(group_counts(2, {"memory": tmp_path}), LIMITS)
    assert meter.broken_limit() is None
    for path in tmp_path.iterdir():
        path.unlink()
    assert meter.broken_limit() is None
    assert meter.cpu_seconds() == 0.7
    assert meter.enforced_at_end() is None


def test_a_kernel_without_a_count_counts_nothing(tmp_path):
    write(tmp_path, memory__events="", pids__events="", cpu__stat="")
    assert group_counts(2, {"memory": tmp_path}).read() == Counts(0, 0, 0.0, None)


def test_orphans_are_found_deep_down_and_others_are_left(tmp_path):
    hierarchy = Hierarchy(2, {"memory": tmp_path, "pids": tmp_path}, frozenset({tmp_path}))
    (ours,) = set(make_groups(hierarchy).values())
    namespace = owner_mark().split("-")[0]
    dead = write(tmp_path / "slice" / f"warp2wave-{namespace}-4194303-5-1")
    elsewhere = write(tmp_path / "slice" / "warp2wave-1-4194303-5-1")
    other = write(tmp_path / "slice" / "somebody-else")
    remove_orphans(hierarchy)
    assert not dead.exists()
    assert all(folder.exists() for folder in (ours, elsewhere, other))
