#!/usr/bin/env python3
"""Writes characters.bin: the character sets of MARC-8 and ISO 5426.

The MARC-8 sets are those of pymarc (marc8_mapping.py); ISO 5426 is what
yaz-iconv makes of each byte. The notices of both are in NOTICE. Needs
pymarc 5 and yaz; run it in this folder.

The file: the number of sets; for each its final byte (0 is ISO 5426), the
number of its characters, and for each its code, its character and whether
it combines with the next one; then the number of characters of EACC, and
for each its code of 3 bytes and its character. Numbers have 2 bytes, the
higher one first; codes, final bytes and flags have 1.
"""

import struct
import subprocess

from pymarc import marc8_mapping

EACC = 0x31
BASE = "a"


def iso5426():
    """Returns the characters of the upper half, and whether each combines."""
    found = {}
    for code in range(0xA1, 0xFF):
        raw = bytes([code]) + BASE.encode()
        run = subprocess.run(
            ["yaz-iconv", "-f", "iso5426", "-t", "utf-8"], input=raw, capture_output=True
        )
        text = run.stdout.decode().rstrip("\n")
        if len(text) == 2:
            combines = text[0] == BASE
            found[code] = (ord(text[1] if combines else text[0]), int(combines))
    return found


def main():
    sets = {final: chars for final, chars in marc8_mapping.CODESETS.items() if final != EACC}
    sets[0] = iso5426()
    out = bytes([len(sets)])
    for final, chars in sorted(sets.items()):
        out += struct.pack(">BH", final, len(chars))
        for code, (char, combines) in sorted(chars.items()):
            out += struct.pack(">BHB", code, char, bool(combines))
    eacc = {code: char for code, (char, _) in marc8_mapping.CODESETS[EACC].items()}
    eacc = {**marc8_mapping.ODD_MAP, **eacc}
    out += struct.pack(">H", len(eacc))
    for code, char in sorted(eacc.items()):
        out += struct.pack(">BH", code >> 16, code & 0xFFFF) + struct.pack(">H", char)
    with open("characters.bin", "wb") as file:
        file.write(out)


main()
