"""The report page in a browser: it writes nothing to the console, and does not scroll sideways."""

import hashlib
import html
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from petal_process import EXECUTABLE


def find_chromium():
    """Finds a working chromium. Ubuntu's package is only a script that tells users to install the snap."""
    for name in ("chromium", "chromium-browser"):
        path = shutil.which(name)
        if path and subprocess.run([path, "--version"], capture_output=True).returncode == 0:
            return path
    return None


CHROMIUM = find_chromium()

# Pages in frames of a given width, because a window cannot be as narrow as a phone.
FRAME = '<iframe style="width:{width}px;height:900px;border:0" srcdoc="{page}"></iframe>'
HOST = """<!DOCTYPE html><meta charset="utf-8"><title>host</title>
{frames}
<script>
const measure = frame => {{
    const inside = frame.contentDocument;
    const root = inside.documentElement;
    const inner = (small, large) => small.left > large.left - 1 && small.right < large.right + 1
        && small.top > large.top - 1 && small.bottom < large.bottom + 1;
    const apart = (a, b) => a.right < b.left + 1 || b.right < a.left + 1
        || a.bottom < b.top + 1 || b.bottom < a.top + 1;
    const faults = [];
    const box = e => e.getBoundingClientRect();
    for (const chart of inside.querySelectorAll("svg.chart")) {{
        const name = chart.querySelector("title").textContent;
        const texts = [...chart.querySelectorAll("text")].filter(t => t.textContent);
        texts.forEach((text, i) => {{
            if (!inner(box(text), box(chart))) faults.push(name + ": cut off: " + text.textContent);
            texts.slice(i + 1).forEach(other => {{
                if (!apart(box(text), box(other)))
                    faults.push(name + ": " + text.textContent + " over " + other.textContent);
            }});
        }});
        const frame = box(chart.querySelector(".frame"));
        for (const drawn of chart.querySelectorAll(".line,.own,.other")) {{
            if (drawn.getAttribute("d") === "") continue;
            if (!inner(box(drawn), frame)) faults.push(name + ": leaves its axes");
        }}
    }}
    const wide = [...inside.querySelectorAll("body *")].filter(
        e => e.getBoundingClientRect().right > root.clientWidth + 0.5 && !e.closest("thead"));
    const letters = [...inside.querySelectorAll("svg.chart text")].map(text => {{
        const chart = text.closest("svg");
        return parseFloat(getComputedStyle(text).fontSize) * box(chart).width / chart.viewBox.baseVal.width;
    }});
    const figures = [...inside.querySelectorAll(".charts")].map(
        charts => new Set([...charts.children].map(figure => box(figure).left)).size);
    const is = (selector, property, value) => [...inside.querySelectorAll(selector)].every(
        e => getComputedStyle(e)[property] === value);
    return {{scroll: root.scrollWidth, letter: Math.min(...letters), columns: Math.max(...figures),
        kept: is("h1, h2, h3", "breakAfter", "avoid")
            && is("figure, tr, .card, .verdict", "breakInside", "avoid"),
        bordered: !is("table", "borderLeftWidth", "0px"),
        client: root.clientWidth,
        charts: inside.querySelectorAll("svg").length,
        wide: wide.map(e => e.tagName).join(" "), faults: faults.join(" | ")}};
}};
onload = () => {{
    const measured = [...document.querySelectorAll("iframe")].map(measure);
    document.title = JSON.stringify(measured);
}};
</script>"""


def run_petal(*arguments, text=None):
    return subprocess.run(
        [EXECUTABLE, *arguments], input=text, capture_output=True, text=True, check=True
    ).stdout


def make_filter(elements, *options):
    lines = "".join(f"{hashlib.sha256(b'%d' % i).hexdigest()[:40]}\n" for i in range(elements))
    return run_petal("filter", "make", "--stdin", *options, text=lines).strip()


@unittest.skipUnless(CHROMIUM, "no chromium that runs here")
class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        largest = cls.folder / "a name that is quite long for a filter, from Monday.hex"
        largest.write_text(make_filter(20_000, "--bytes", "36000", "--hashes", "9"))
        bitcoinj = ("--bytes", "1923", "--hashes", "16")
        small = make_filter(542, *bitcoinj)
        grown = make_filter(551, *bitcoinj)
        other_tweak = make_filter(551, *bitcoinj, "--tweak", "7")
        tiny = make_filter(3, "--bytes", "3", "--hashes", "5")
        sparse = cls.folder / "sparse.hex"
        sparse.write_text(make_filter(1, "--bytes", "36000", "--hashes", "50"))
        nearly_full = "fd" + "e803" + "fe" + 999 * "ff" + "0b000000" + "00000000" + "01"
        empty = "03" + "000000" + "05000000" + "00000000" + "01"
        cls.pages = []
        for number, filters in enumerate(
            (
                [small],
                [small, grown, other_tweak, largest],
                [tiny],
                [sparse],
                [nearly_full],
                [empty],
                [sparse, largest, tiny, nearly_full, small, empty],
            )
        ):
            page = cls.folder / f"report{number}.html"
            run_petal("filter", "report", "-o", str(page), *map(str, filters))
            cls.pages.append(page)

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

    def measure(self, frames):
        """The measurements that a host page makes of each report, for pairs of a report and a width."""
        host = self.folder / "host.html"
        host.write_text(HOST.format(frames="".join(
            FRAME.format(width=width, page=html.escape(page)) for page, width in frames)))
        dom = self.browse(host, "--dump-dom", "--window-size=1400,1000")
        title = re.search(r"<title>(\[.*?\])</title>", dom, re.DOTALL)
        self.assertIsNotNone(title, dom[:300])
        return json.loads(html.unescape(title[1]))

    def test_fits_phones_and_desks(self):
        texts = [page.read_text() for page in self.pages]
        frames = [(text, width) for text in texts for width in (360, 1280)]
        measured = self.measure(frames)
        self.assertEqual(len(measured), len(frames))
        for (text, width), found in zip(frames, measured):
            self.assertLess(len(text), 400_000)
            self.assertEqual(found["client"], width)
            self.assertLessEqual(found["scroll"], width, found["wide"])
            self.assertEqual(found["wide"], "")
            self.assertEqual(found["faults"], "")
            self.assertGreaterEqual(found["charts"], 4)
            self.assertGreaterEqual(found["letter"], 11)
            self.assertEqual(found["columns"], 1 if width == 360 else 2)

    def test_keeps_together_on_paper_what_belongs_together(self):
        # The style of paper on a screen as wide as A4 without its margins.
        text = self.pages[0].read_text()
        paper = text.replace("@media print", "@media all")
        self.assertNotEqual(paper, text)
        screen, printed = self.measure([(text, 720), (paper, 720)])
        self.assertEqual((printed["columns"], printed["kept"], printed["bordered"]), (2, True, False))
        self.assertEqual((screen["columns"], screen["kept"], screen["bordered"]), (1, False, True))
        self.assertEqual((printed["faults"], printed["wide"]), ("", ""))

    def test_measures_what_leaves_its_place(self):
        text = self.pages[0].read_text()
        broken = {
            "cut off": ('text-anchor="start">bits that are set', 'text-anchor="end">bits that are'),
            " over ": ('text x="2.0" y="14.0"', 'text x="2.0" y="60.0"'),
            "leaves its axes": ('class="own" cx="', 'class="own" cx="4'),
        }
        for before, _ in broken.values():
            self.assertIn(before, text)
        measured = self.measure([(text.replace(*change), 1280) for change in broken.values()])
        for fault, found in zip(broken, measured, strict=True):
            self.assertIn(fault, found["faults"])

    def test_says_numbers_in_words(self):
        for page in self.pages:
            text = re.sub(r"<svg.*?</svg>|<style.*?</style>", "", page.read_text(), flags=re.DOTALL)
            self.assertEqual(re.findall(r"\d(?:\.\d+)?e[-+]?\d+", text), [], page)
            self.assertNotRegex(text, r"\b1 (transactions|addresses|bytes|bits)\b")

    def test_tells_the_verdict_of_the_worst_filter(self):
        text = self.pages[-1].read_text()
        self.assertIn("Figures of a single filter below are those of sparse.hex", text)
        tiles = text[text.index('class="cards"') :]
        self.assertIn("36,000 bytes", tiles[: tiles.index("</div>")])
        order = [text.index(part) for part in ("<h1>", 'class="verdict', "What a peer can do",
                                               "Together", "Pictures", "Structure")]
        self.assertEqual(order, sorted(order))

    def test_renders_and_prints(self):
        picture = self.folder / "page.png"
        paper = self.folder / "page.pdf"
        self.browse(self.pages[1], f"--screenshot={picture}", "--window-size=1280,3000")
        self.assertGreater(picture.stat().st_size, 50_000)
        self.browse(self.pages[1], f"--print-to-pdf={paper}")
        self.assertTrue(paper.read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main()
