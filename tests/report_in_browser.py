"""Opens a report in a headless Chromium: python3 tests/report_in_browser.py PROGRAM [BROWSER].

The report is made of hostile text. Nothing of it may run or load, the page's own script and
style must, and rows can be sorted and filtered.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HOSTILE = """http://a.example/?q=<script>document.title="run"</script>
<http://b.example/"onmouseover=document.title='run'//> javascript://x/%0Adocument.title='run'
http://c.example/</td><img/src=http://load.example/x.png> http://d.example/\u202edwo\u2066
"http://e.example/'>&lt;script&gt;" http://f.example/ http://f.example/ HTTP://f.example/
"""
# What follows the page's own script in a copy of the page without a policy.
CLICKS = """<script>
document.querySelectorAll("th button")[1].click();
document.querySelectorAll("th button")[1].click();
const filter = document.getElementById("filter");
filter.value = "F.example";
filter.dispatchEvent(new Event("input"));
</script>"""


def browse(browser, page, *flags):
    """Returns the document after its scripts ran, and what the browser said."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    ran = subprocess.run(
        [*command, *flags, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120
    )
    return ran.stdout, ran.stderr


def requests(log):
    """Returns the addresses of the requests in a log of the browser's network."""
    events = json.loads(log.read_text())["events"]
    urls = (event.get("params", {}).get("url", "") for event in events)
    return {url for url in urls if url}


def main():
    program = sys.argv[1]
    names = [sys.argv[2]] if len(sys.argv) > 2 else ["chromium", "chromium-browser", "google-chrome"]
    browser = next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        print("skipped: no Chromium here")
        return
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        page, log = folder / "a.html", folder / "net.json"
        subprocess.run([program, "report", "-o", page], input=HOSTILE.encode(), check=True)
        document, said = browse(browser, page, f"--log-net-log={log}")
        assert "Refused to" not in said and "violates" not in said, said
        # The page's own script made buttons of the heads of columns, and nothing else ran.
        assert document.count("<button") >= 3, document[-2000:]
        assert document.count("<script") == 1 and "<img" not in document
        assert "<title>Report of urisieve</title>" in document
        loaded = {url for url in requests(log) if "example" in url}
        assert not loaded, loaded

        text = page.read_text()
        free = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        assert free != text
        page.write_text(free.replace("</body>", CLICKS + "</body>"))
        document, _ = browse(browser, page)
        assert 'aria-sort="descending"' in document
        rows = re.findall(r'<tr( hidden="")?><td>([^<]+)<', document.split('id="rows"')[1])
        shown = [uri for hidden, uri in rows if not hidden]
        assert shown == ["http://f.example/"], rows
        assert rows[0][1] == "http://f.example/", rows
        assert re.search(r"1 of \d+ rows", document)
    print("ok")


main()
