#!/bin/sh
# Can this machine run warp2wave? Silent and 0 if so; else says what is missing and the one command that mends it,
# and ends with 6. Takes well under two seconds, changes nothing, never asks for root.
set -u

cache=${WARP2WAVE_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/warp2wave}
needed_mb=2500 # download and unpacked toolchain, Python environment, builds
needed_later_mb=300

fail() { # what is wrong, command that mends it
    printf 'warp2wave cannot run here: %s\n' "$1" >&2
    printf 'To mend it:\n\n    %s\n\n' "$2" >&2
    exit 6
}

check_platform() {
    platform="$(uname -s)/$(uname -m)"
    case $platform in
    Linux/x86_64 | Linux/amd64) ;;
    *) fail "it needs Linux on x86-64, this is $platform" "docker compose run --rm api warp2wave demo" ;;
    esac
    # WSL 1 translates system calls and has no namespaces; WSL 2 is a Linux kernel.
    case $(uname -r) in
    *-Microsoft) fail "this is WSL 1" "wsl.exe --set-version ${WSL_DISTRO_NAME:-Ubuntu} 2" ;;
    esac
}

check_disk() {
    needed=$needed_mb
    for root in "$cache"/toolchain/*/root; do
        [ -d "$root" ] && needed=$needed_later_mb
    done
    folder=$cache
    while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
    free_mb=$(df -Pm "$folder" | awk 'NR == 2 { print $4 }')
    if [ "${free_mb:-0}" -lt "$needed" ]; then
        fail "$needed MB must be free in $folder, $free_mb MB are" \
            "export WARP2WAVE_CACHE_DIR=/a/folder/on/a/larger/disk"
    fi
    if [ ! -w "$folder" ]; then
        fail "$folder cannot be written to" "export WARP2WAVE_CACHE_DIR=/a/folder/of/yours"
    fi
}

check_python() {
    for uv in "${WARP2WAVE_UV:-}" "$(command -v uv)" "$cache/uv/bin/uv"; do
        [ -n "$uv" ] && [ -x "$uv" ] && return
    done
    # Any Python that can make an environment will do: uv, installed into it, brings a newer one if need be.
    python3 -c 'import venv, ensurepip' 2>/dev/null && return
    fail "neither uv nor a Python that can make environments is installed" \
        "curl -LsSf https://astral.sh/uv/install.sh | sh"
}

# Rootless sandboxes need user namespaces; where a Docker daemon answers, it does the job instead.
check_namespaces() {
    unshare --user --map-root-user --mount --pid --fork true 2>/dev/null && return
    [ -w "${WARP2WAVE_DOCKER_SOCKET:-/var/run/docker.sock}" ] && return
    if [ "$(read_sysctl kernel/apparmor_restrict_unprivileged_userns)" = 1 ]; then
        fail "AppArmor forbids user namespaces" "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    elif [ "$(read_sysctl kernel/unprivileged_userns_clone)" = 0 ]; then
        fail "user namespaces are switched off" "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    elif [ "$(read_sysctl user/max_user_namespaces)" = 0 ]; then
        fail "user namespaces are switched off" "sudo sysctl -w user.max_user_namespaces=15000"
    elif ! command -v unshare >/dev/null; then
        return # nothing to try it with, and nothing forbids it
    elif [ -e "${WARP2WAVE_CONTAINER_MARK:-/.dockerenv}" ]; then
        fail "this container may not make user namespaces" \
            "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined ..."
    else
        fail "user namespaces do not work, and no Docker daemon answers" "sudo apt-get install -y docker.io"
    fi
}

read_sysctl() {
    cat "${WARP2WAVE_SYSCTL_FOLDER:-/proc/sys}/$1" 2>/dev/null
}

check_platform
check_disk
check_python
check_namespaces
