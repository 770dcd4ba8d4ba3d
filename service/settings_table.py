"""The table of settings in docs/service.md, made from the settings themselves.

``python -m service.settings_table docs/service.md`` renews it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from service.settings import describe_fields

_BEGIN = "<!-- settings: made by service/settings_table.py -->"
_END = "<!-- settings end -->"


def settings_table() -> str:
    rows = [f"| `{name}` | {description} |" for name, description in describe_fields()]
    return "\n".join((_BEGIN, "", "| Variable | Meaning |", "|---|---|", *rows, "", _END))


def renew(document: Path) -> None:
    text = document.read_text()
    pattern = re.escape(_BEGIN) + ".*?" + re.escape(_END)
    document.write_text(re.sub(pattern, lambda _: settings_table(), text, flags=re.DOTALL))


if __name__ == "__main__":
    renew(Path(sys.argv[1]))
