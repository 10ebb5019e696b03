#!/usr/bin/env python3
"""Draws corpora/picture.svg: a run of urisieve on the samples, as a terminal shows it.

    cargo build --release && corpora/picture.py target/release/urisieve

The commands run on a pseudo-terminal, so the colours are those of a person's run.
A test compares the text of the picture with what the program prints.
"""

import html
import os
import pty
import re
import sys

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples")
COMMANDS = [
    ("sed -n 7,12p mail.txt", "sed -n 7,12p mail.txt"),
    ("urisieve mail.txt | head -n 4", "urisieve --color always mail.txt | head -n 4"),
    ("urisieve -c --by host --top 3 access.log", None),
    ("urisieve -L scheme --groups --top 2 urns.txt", None),
]
COLUMNS, FONT, LINE, MARGIN = 82, 14, 20, 16
STYLES = {"1": "b", "31": "r", "32": "g", "33": "y", "34": "u", "35": "m", "36": "c"}
CSS = """text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8dee9}
.p{fill:#7f8c9b}.b{font-weight:bold;fill:#fff}.r{fill:#e06c75}.g{fill:#98c379}
.y{fill:#e5c07b}.u{fill:#61afef}.m{fill:#c678dd}.c{fill:#56b6c2}"""


def run(command):
    """What the command writes to a terminal."""
    read = bytearray()

    def keep(fd):
        data = os.read(fd, 1024)
        read.extend(data)
        return b""

    out = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        pty.spawn(["sh", "-c", command], keep)
    finally:
        os.dup2(out, 1)
    return read.decode().replace("\r\n", "\n")


def spans(line):
    """The line as SVG, its colours as classes."""
    parts = re.split(r"\x1b\[([0-9;]*)m", line)
    drawn, style, column = "", "", 0
    for at, part in enumerate(parts):
        if at % 2:
            style = STYLES.get(part.split(";")[-1], "")
        elif part:
            text = (" " * column + part).expandtabs(8)[column:]
            column += len(text)
            text = html.escape(text, quote=False)
            drawn += f'<tspan class="{style}">{text}</tspan>' if style else text
    return drawn


def main():
    program = os.path.abspath(sys.argv[1])
    os.environ["PATH"] = os.path.dirname(program) + os.pathsep + os.environ["PATH"]
    os.environ.pop("NO_COLOR", None)
    os.environ["TERM"] = "xterm-256color"
    os.chdir(SAMPLES)
    lines = []
    for shown, command in COMMANDS:
        prompt = html.escape(shown, quote=False)
        lines.append(f'<tspan class="p">$ </tspan><tspan class="b">{prompt}</tspan>')
        lines += [spans(line) for line in run(command or shown).splitlines()]
    height = 2 * MARGIN + LINE * len(lines)
    width = 2 * MARGIN + COLUMNS * 8.45
    texts = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + FONT + LINE * at}">{line}</text>'
        for at, line in enumerate(lines)
    )
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" xml:space="preserve" role="img" aria-label="urisieve on a terminal">\n'
        f"<style>{CSS}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#20252e"/>\n{texts}\n</svg>\n'
    )
    target = os.path.join(os.path.dirname(SAMPLES), "picture.svg")
    with open(target, "w", encoding="utf-8") as file:
        file.write(picture)


main()
