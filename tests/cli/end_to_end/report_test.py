"""The report page in a browser: nothing on its console, and no scrolling sideways."""

import hashlib
import html
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from petal_process import EXECUTABLE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# The page in a frame of a width of its own: a window can't be as narrow as a phone.
HOST = """<!DOCTYPE html><meta charset="utf-8"><title>host</title>
<iframe id="page" style="width:{width}px;height:900px;border:0" srcdoc="{page}"></iframe>
<script>
document.getElementById("page").onload = event => {{
    const inside = event.target.contentDocument;
    const root = inside.documentElement;
    const wide = [...inside.querySelectorAll("body *")].filter(
        e => e.getBoundingClientRect().right > root.clientWidth + 0.5 && !e.closest("thead"));
    document.title = [root.scrollWidth, root.clientWidth, inside.querySelectorAll("svg").length,
        wide.map(e => e.tagName).join(" ")].join(";");
}};
</script>"""


def run_petal(*arguments, text=None):
    return subprocess.run(
        [EXECUTABLE, *arguments], input=text, capture_output=True, text=True, check=True
    ).stdout


def make_filter(elements, *options):
    lines = "".join(f"{hashlib.sha256(b'%d' % i).hexdigest()[:40]}\n" for i in range(elements))
    return run_petal("filter", "make", "--stdin", *options, text=lines).strip()


@unittest.skipUnless(CHROMIUM, "no chromium here")
class ReportPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        largest = self.folder / "a name that is quite long for a filter, from Monday.hex"
        largest.write_text(make_filter(20_000, "--bytes", "36000", "--hashes", "9"))
        small = make_filter(542, "--bytes", "1923", "--hashes", "16")
        grown = make_filter(551, "--bytes", "1923", "--hashes", "16", "--tweak", "7")
        self.pages = []
        for number, filters in enumerate(([small], [small, grown, largest])):
            page = self.folder / f"report{number}.html"
            run_petal("filter", "report", "-o", str(page), *map(str, filters))
            self.pages.append(page)

    def browse(self, page, *options):
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--enable-logging=stderr",
             f"--user-data-dir={self.folder / 'profile'}", *options, page.as_uri()],
            capture_output=True, text=True, check=True, timeout=100,
        )  # fmt: skip
        complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        self.assertEqual(complaints, [])
        return done.stdout

    def test_fits_phones_and_desks(self):
        for page in self.pages:
            text = page.read_text()
            self.assertLess(len(text), 400_000)
            for width in (360, 1280):
                host = self.folder / "host.html"
                host.write_text(HOST.format(width=width, page=html.escape(text)))
                dom = self.browse(host, "--dump-dom", "--window-size=1400,1000")
                title = re.search(r"<title>(\d+);(\d+);(\d+);(.*?)</title>", dom)
                self.assertIsNotNone(title, dom[:300])
                scroll, client, charts, wide = title.groups()
                self.assertEqual(client, str(width))
                self.assertLessEqual(int(scroll), width, wide)
                self.assertEqual(wide, "")
                self.assertGreaterEqual(int(charts), 4)

    def test_renders_and_prints(self):
        picture = self.folder / "page.png"
        paper = self.folder / "page.pdf"
        self.browse(self.pages[1], f"--screenshot={picture}", "--window-size=1280,3000")
        self.assertGreater(picture.stat().st_size, 50_000)
        self.browse(self.pages[1], f"--print-to-pdf={paper}")
        self.assertTrue(paper.read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main()
