"""Writes recordings as sandbox/vgpu/recorder does."""

import json
import struct

from sandbox.numerics.recording import Recording


def floats(*values):
    return struct.pack(f"{len(values)}f", *values)


class Writer:
    """Writes the files as the recorder does."""

    def __init__(self, folder, base):
        self.folder, self.base, self.events, self.kept = folder, base, [], b""
        self.launches = 0

    def allocate(self, identity, size, kind="device", name="", tracked=True):
        address = self.base + 0x10000 * identity
        self.events.append(
            {
                "event": "allocate", "id": identity, "address": address, "size": size, "kind": kind,
                "name": name, "tracked": tracked,
            }
        )  # fmt: skip
        return address

    def contents(self, event, by, identity, offset, data, kept=True):
        at = len(self.kept) if kept else -1
        self.kept += data if kept else b""
        entry = {"event": event, "by": by, "id": identity, "offset": offset, "size": len(data), "at": at}
        self.events.append(entry)

    def launch(self, kernel, *arguments):
        self.events.append(
            {
                "event": "launch", "index": self.launches, "kernel": kernel, "grid": [1, 1, 1],
                "block": [64, 1, 1], "shared": 0, "arguments": [[8 * n, a.hex()] for n, a in enumerate(arguments)],
            }
        )  # fmt: skip
        self.launches += 1

    def end(self, reason="end"):
        self.events.append({"event": "stopped", "reason": reason})
        return self.save()

    def save(self):
        self.folder.mkdir(exist_ok=True)
        (self.folder / "record.jsonl").write_text("".join(json.dumps(e) + "\n" for e in self.events))
        (self.folder / "record.bin").write_bytes(self.kept)
        return Recording(self.folder)
