#!/usr/bin/env python3
"""Draws the pictures of the README: a terminal session as SVG, and a filter report as PNG (with chromium).

usage: draw.py PETAL    PETAL is the command; the pictures are written beside this script
"""

import contextlib
import html
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import termios

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = 80
WIDTH, HEIGHT = 8.4, 19  # of a character, in pixels


def on_terminal(command, environment):
    """The standard output of a command on a terminal."""
    terminal, inside = pty.openpty()
    termios.tcsetwinsize(inside, (40, COLUMNS))
    process = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=subprocess.DEVNULL, env=environment)
    os.close(inside)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while piece := os.read(terminal, 65536):
            shown += piece
    os.close(terminal)
    if process.wait() != 0:
        raise RuntimeError(f"{command} failed")
    return shown.decode().replace("\r\n", "\n")


class Session:
    """Runs commands of one user, and keeps what the terminal shows."""

    def __init__(self, petal, folder):
        self.petal = petal
        self.folder = folder
        self.lines = []

    def run(self, *arguments, shown=None):
        environment = {**os.environ, "PETAL_NETWORK": "regtest", "PETAL_DATADIR": str(self.folder), "NO_COLOR": "1"}
        # A terminal would get a QR code with the address, whose rows have gaps in a picture.
        if "receive" in arguments:
            output = subprocess.run([self.petal, *arguments], capture_output=True, text=True, check=True,
                                    env=environment).stdout
        else:
            output = on_terminal([self.petal, *arguments], environment)
        if shown:
            self.lines += ["$ " + shown, *output.rstrip("\n").split("\n"), ""]
        return output

    def svg(self):
        rows = []
        for number, line in enumerate(self.lines):
            color = "#7ee787" if line.startswith("$ ") else "#e6edf3"
            rows.append(f'<text x="16" y="{HEIGHT * (number + 1) + 14}" fill="{color}" '
                        f'xml:space="preserve">{html.escape(line, quote=False)}</text>')
        width, height = int(COLUMNS * WIDTH + 32), HEIGHT * (len(self.lines) + 1) + 16
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                f'height="{height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">\n'
                f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n' + "\n".join(rows) + "\n</svg>\n")


def draw_session(petal, folder):
    session = Session(petal, folder)
    session.run("create", "--json")
    address = session.run("receive", "--json").split('"address":"')[1].split('"')[0]
    with subprocess.Popen([petal, "regtest-node", "--port", "0", "--json", "--pay", address],
                          stdout=subprocess.PIPE, text=True) as node:
        port = node.stdout.readline().split('"port":')[1].split(",")[0].rstrip("}\n")
        peer = f"127.0.0.1:{port}"
        session.run("sync", "--connect", peer, shown="petal sync")
        session.run("history", shown="petal history")
        session.run("receive", shown="petal receive")
        node.terminate()
    (HERE / "session.svg").write_text(session.svg(), encoding="utf-8")


def draw_report(petal, folder):
    page = folder / "report.html"
    files = []
    for day, elements in ("monday", 40), ("tuesday", 60):
        made = subprocess.run([petal, "filter", "make", "--fpr", "1e-3", "--elements", "100",
                               *(f"hex:{number:040x}" for number in range(elements))],
                              capture_output=True, text=True, check=True)
        files.append(folder / f"{day}.hex")
        files[-1].write_text(made.stdout, encoding="ascii")
    subprocess.run([petal, "filter", "report", "-o", str(page), *map(str, files)], check=True, capture_output=True)
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        sys.exit("chromium is not installed; report.png was not drawn")
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--user-data-dir={folder / 'chromium'}", "--window-size=960,530",
                    f"--screenshot={HERE / 'report.png'}", page.as_uri()], check=True, capture_output=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    petal = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        draw_session(petal, pathlib.Path(folder))
        draw_report(petal, pathlib.Path(folder))


if __name__ == "__main__":
    main()
