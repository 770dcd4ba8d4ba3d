"""How one container is configured."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

from docker.types import LogConfig, Ulimit
from docker.types import Mount as DockerMount

from sandbox.isolation.bubblewrap_options import HOSTNAME
from sandbox.isolation.first_process import FirstProcess
from sandbox.isolation.protocol import Command, Limits, Mount
from sandbox.isolation.user import SandboxUser

# Our own first process counts too.
_OWN_PROCESSES = 1
# Files that the first process needs, each mounted alone: the program sees no folder of ours.
_INSIDE = PurePosixPath("/run/.warp2wave")
INIT, FILTER, STATUS, STDIN = "init", "filter", "status", "stdin"


def container_config(
    client: Any, image: str, command: Command, limits: Limits, user: SandboxUser, staged: Path, labels: dict[str, str]
) -> dict[str, Any]:
    """Arguments of ``APIClient.create_container`` for a prepared command. ``staged`` holds our files by name."""
    first = FirstProcess(
        control=0,  # its end of file tells that our process, which is attached to it, has gone
        status=str(_INSIDE / STATUS),
        stdin=str(_INSIDE / STDIN),
        seccomp_filter=str(_INSIDE / FILTER),
        become=None,
        pids=None,  # without a user namespace of its own RLIMIT_NPROC would count all containers together
        file_bytes=limits.file_bytes,
    )
    argv = first.argv(str(_INSIDE / INIT), command)
    return {
        "image": image,
        "entrypoint": argv[:1],
        "command": argv[1:],
        "user": f"{user.uid}:{user.gid}",
        "hostname": HOSTNAME,
        "network_disabled": True,
        "stdin_open": True,
        "labels": labels,
        "host_config": _host_config(client, command, limits, staged),
    }


def _host_config(client: Any, command: Command, limits: Limits, staged: Path) -> Any:
    return client.create_host_config(
        network_mode="none",
        ipc_mode="private",
        cgroupns="private",
        dns=["127.0.0.1"],  # else the host's name servers are shown
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        mem_limit=limits.memory_bytes,
        memswap_limit=limits.memory_bytes,
        pids_limit=limits.pids + _OWN_PROCESSES,
        oom_score_adj=1000,
        shm_size=limits.tmp_bytes,
        tmpfs={"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={limits.tmp_bytes}"},
        ulimits=[Ulimit(name="core", soft=0, hard=0)],
        log_config=LogConfig(type="none"),
        mounts=[*_staged_mounts(staged), *(_bind(mount) for mount in command.mounts if mount.kind == "bind")],
        devices=[_device(mount) for mount in command.mounts if mount.kind == "device"],
    )


def _staged_mounts(staged: Path) -> list[Any]:
    return [
        DockerMount(str(_INSIDE / name), str(staged / name), type="bind", read_only=name != STATUS)
        for name in (INIT, FILTER, STATUS, STDIN)
    ]


def _bind(mount: Mount) -> Any:
    return DockerMount(str(mount.target), str(mount.source), type="bind", read_only=not mount.writable)


def _device(mount: Mount) -> str:
    return f"{mount.source}:{mount.target}:rw"
