"""A Debian mirror on this machine that can misbehave."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Mirror:
    """``files`` by path. ``cut_after`` ends an answer after so many bytes, as often as it has entries;
    ``statuses`` are answered before anything else."""

    files: dict[str, bytes] = field(default_factory=dict)
    cut_after: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    ignore_ranges: bool = False
    wrong_range: bool = False
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    def add(self, path: str, content: bytes) -> None:
        self.files[f"/debian/{path}"] = content


@contextmanager
def serve_mirror() -> Iterator[Mirror]:
    mirror = Mirror()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            _answer(self, mirror)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    mirror.url = f"http://127.0.0.1:{server.server_port}/debian"
    try:
        yield mirror
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(handler: BaseHTTPRequestHandler, mirror: Mirror) -> None:
    wanted = handler.headers.get("Range")
    mirror.requests.append((handler.path, wanted))
    handler.close_connection = True
    content = mirror.files.get(handler.path)
    status = mirror.statuses.pop(0) if mirror.statuses else (200 if content is not None else 404)
    if status != 200 or content is None:
        handler.send_error(status)
        return
    start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and not mirror.ignore_ranges else 0
    handler.send_response(206 if start else 200)
    if start:
        told = start + 1 if mirror.wrong_range else start
        handler.send_header("Content-Range", f"bytes {told}-{len(content) - 1}/{len(content)}")
    handler.send_header("Content-Length", str(len(content) - start))
    handler.end_headers()
    body = content[start:]
    handler.wfile.write(body[: mirror.cut_after.pop(0)] if mirror.cut_after else body)
