"""A server with fake stages in a process of its own: data folder and file of calls as arguments; a third names
the stage that waits until its process is killed."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from fake_stages import FakeStages

from agents.orchestrator.stages import StageContext
from service.api.serve import serve
from service.settings import load_settings


def main(data_dir: str, calls: str, stuck: str = "") -> None:
    def hook(stage: str, context: StageContext) -> None:
        while stage == stuck and not context.cancellation.requested:
            time.sleep(0.05)

    settings = load_settings(data_dir=data_dir, port=0)
    serve(settings, FakeStages(Path(calls), hook), lambda url: print(url, flush=True))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
