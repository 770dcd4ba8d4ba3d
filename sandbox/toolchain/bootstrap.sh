#!/bin/sh
# Make .venv what uv.lock says, with the uv that is there or one of our own in the cache. Run by make from the root.
set -eu

cache=${WARP2WAVE_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/warp2wave}

find_uv() {
    for uv in "${WARP2WAVE_UV:-}" "$(command -v uv || true)" "$cache/uv/bin/uv"; do
        if [ -n "$uv" ] && [ -x "$uv" ]; then
            echo "$uv"
            return
        fi
    done
}

install_uv() {
    version=$(awk '/^name = "uv"$/ { getline; gsub(/version = |"/, ""); print }' uv.lock)
    echo "Installing uv $version into $cache/uv" >&2
    rm -rf "$cache/uv.partial"
    mkdir -p "$cache"
    python3 -m venv "$cache/uv.partial"
    "$cache/uv.partial/bin/python" -m pip install --quiet --disable-pip-version-check "uv==$version" >&2
    rm -rf "$cache/uv"
    mv "$cache/uv.partial" "$cache/uv"
    echo "$cache/uv/bin/uv"
}

# Trust whom the system trusts, as apt and pip do: networks with a certificate authority of their own are common.
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-1}"
fi

uv=$(find_uv)
[ -n "$uv" ] || uv=$(install_uv)
"$uv" sync --frozen --quiet
touch .venv/synced
