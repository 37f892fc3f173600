"""A deliverable with its evidence as a widget that needs no build, and as a page that needs nothing else.

deliverable.html deliverable.css     how it looks; the hues are those of the replay
document.js evidence.js uses.js      the text as it is laid out, a value's evidence, what of each file was used
deliverable.js                       filters, keys, address; `export default` as streamlit's components.v2 wants it
payload.py                           an answer -> JSON
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from tabcore.analyses.provenance_rows import Provenance
from tabcore.presentation.deliverable_page.payload import file_payload
from tabcore.presentation.plain import plain_line
from tabcore.presentation.replay_widget import Widget

_SCRIPTS = ("document.js", "evidence.js", "uses.js", "deliverable.js")


@cache
def deliverable_widget() -> Widget:
    """One file of a deliverable: fed `file_payload`."""
    palette = files("tabcore.presentation.replay_widget").joinpath("palette.css").read_text(encoding="utf-8")
    return Widget(_text("deliverable.html"), f"{palette}\n{_text('deliverable.css')}", _text(*_SCRIPTS))


def standalone_page(found: Provenance) -> str:
    """All files of a deliverable as one HTML page. It loads nothing and asks nobody; its own script alone may run."""
    widget = deliverable_widget()
    data = json.dumps([file_payload(found, index) for index in range(len(found.files))]).replace("<", "\\u003c")
    script = f"{widget.js.replace('export default function', 'function mount')}\n{_text('standalone.js')}"
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    title = escape(plain_line(found.run.name or found.run.run_id, 120))
    simulated = escape(plain_line(found.run.simulated or "", 300))
    band = f'<p class="simulated" data-scheme="light"><strong>simulated</strong> {simulated}</p>' if simulated else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Where the values come from: {title}</title>"
        f"<style>{_text('standalone.css')}\n{widget.css}</style></head>"
        f"<body><header><h1>{title}</h1><p>run {escape(found.run.run_id)}</p>{band}"
        '<label hidden>File <select id="file"></select></label></header>'
        f'<main>{widget.html}</main><script type="application/json" id="data">{data}</script>'
        f"<script>{script}</script></body></html>\n"
    )


def _text(*names: str) -> str:
    folder = files(__name__)
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
