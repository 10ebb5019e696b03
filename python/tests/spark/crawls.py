"""Crawls that are made up: files of WARC, WAT and WET with pages that link to each other."""

import gzip
import json
import random


def write(folder, files, pages=8, seed=3986):
    """Writes `files` files of `pages` pages each into `folder`; returns their paths."""
    draw = random.Random(seed)
    paths = []
    for number in range(files):
        kind = "wet" if number % 20 == 19 else "wat" if number % 4 == 3 else "warc"
        records = [record(draw, kind, f"{number:04}-{page}") for page in range(pages)]
        plain = number % 5 == 1
        path = folder / f"{number:04}.{kind}{'' if plain else '.gz'}"
        path.write_bytes(b"".join(records if plain else map(gzip.compress, records)))
        paths.append(str(path))
    return paths


def host(draw):
    number = int(500 * draw.random() ** 2)
    return f"{'www.' if number % 3 else ''}host{number}.example{'.org' if number % 7 == 0 else ''}"


def reference(draw):
    """A reference as pages have them: absolute or not, in several spellings."""
    kind = draw.randrange(6)
    if kind == 0:
        return f"/path/{draw.randrange(40)}"
    if kind == 1:
        return f"../up/{draw.randrange(9)}#top"
    if kind == 2:
        return f"//{host(draw)}/p{draw.randrange(9)}"
    if kind == 3:
        return f"HTTP://{host(draw).upper()}/P?q={draw.randrange(5)}"
    return f"https://{host(draw)}/{draw.randrange(30)}"


def record(draw, kind, name):
    """One record of a page: its response, what WAT says of it, or its text."""
    page = f"http://{host(draw)}/page/{name}.html"
    links = [reference(draw) for _ in range(12)]
    if kind == "wet":
        text = f"Seen {links[0]} and http://{host(draw)}/seen/{name}.\n"
        return block("conversion", page, "text/plain", text.encode())
    if kind == "wat":
        html = {"Head": {"Base": "/base/"} if draw.random() < 0.2 else {}, "Links": [{"path": "A@/href", "url": link} for link in links]}
        about = {"WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": page}}
        about["Payload-Metadata"] = {"HTTP-Response-Metadata": {"HTML-Metadata": html}}
        return block("metadata", page, "application/json", json.dumps({"Envelope": about}).encode())
    if draw.random() < 0.1:
        answer = f"HTTP/1.1 301 Moved\r\nLocation: {links[0]}\r\nContent-Length: 0\r\n\r\n"
        return block("response", page, "application/http; msgtype=response", answer.encode())
    base = '<base href="/base/">' if draw.random() < 0.2 else ""
    body = "".join(f'<p>words <a {"rel=nofollow " if draw.random() < 0.2 else ""}href="{link}">here</a></p>\n' for link in links)
    html = f"<html><head>{base}</head><body>{body}</body></html>".encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n".encode()
    return block("response", page, "application/http; msgtype=response", head + html)


def block(kind, page, content_type, content):
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {page}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"
