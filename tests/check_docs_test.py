"""Proves that check_docs.py finds the errors that it must find."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TREE = {
    "bloom/sizing.h": "struct FilterSize {};\nFilterSize filter_size();\n",
    "net/user.h": "class User { SyncEngine engine; void use(); };\n",
    "net/engine.h": "class SyncEngine { void on_message(); };\n",
    "cli/options.cpp": 'add("sync"); add_option("--cross-check", "all");\n',
    "cli/commands.cpp": '{{"sync"}, add_sync_commands}',
    "cli/text/json.cpp": 'Json json = {{"txid", 1}}; json["vout"] = 0; CommandError(ExitStatus::failed, "bad-address");',
    "cli/choices.cpp": 'Json json; Table table({{"BTC", Align::right}}); add_choice({{"year", Span::year}});',
    "regtest/rpc/methods.cpp": 'Json json = {{"bestblockhash", 1}};',
    "docs/other.md": "# Two words, and `code`\n",
}
CLEAN = [
    "[here](docs/other.md#two-words-and-code), [below](#title), [out](https://a.example/x.md)",
    "`bloom/sizing.h`, `sizing.h`, `<petal/bloom/sizing.h>`, `bloom/`, `include/petal/`, `fuzz/`",
    "`FilterSize`, `filter_size()`, `bloom::filter_size`, `SyncEngine::on_message()`, `petal::bloom`",
    "`NODE_BLOOM`, `testnet4`, `filterload`, `a b_c d`",
    "`petal sync --cross-check all`, `--cross-check`, `gpg --symmetric`",
    "    petal --cross-check none sync | gpg --symmetric   # --what-not",
    "```\nbloom::filter_size(1, 2);\n```",
    "    # no heading\n\n    petal sync\n",
]
BROKEN = [
    ("[gone](docs/gone.md)", "docs/gone.md leads to no file"),
    ("[`gone`](gone.md)", "gone.md leads to no file"),
    ("[out](../other/README.md)", "../other/README.md leads to no file"),
    ("[no](docs/other.md#three-words)", "docs/other.md#three-words leads to no heading"),
    ("[no](#nothing)", "#nothing leads to no heading"),
    ("    # Nothing\n\n[no](#nothing)", "#nothing leads to no heading"),
    ("`bloom/gone.h`", "bloom/gone.h is not in the tree"),
    ("`<petal/bloom/gone.h>`", "<petal/bloom/gone.h> is not in the tree"),
    ("`bloom/gone/`", "bloom/gone/ is not in the tree"),
    ("`FilterShape`", "FilterShape is not in the tree"),
    ("`filter_shape()`", "filter_shape() is not in the tree"),
    ("`SyncEngine::use()`", "SyncEngine::use() is not in the tree"),
    ("`FilterSize::on_message`", "FilterSize::on_message is not in the tree"),
    ("`--cross-out`", "--cross-out is not in the tree"),
    ("`petal sync --cross-out`", "--cross-out is not in the tree"),
    ("    petal sing | cat", "sing is not in the tree"),
    ("```\nbloom::filter_shape(1, 2);\n```", "bloom::filter_shape is not in the tree"),
]
JSON_BROKEN = [
    ("`txid`, `bad-address`", "vout", "is printed but not documented"),
    ("`txid`, `vout`", "bad-address", "is printed but not documented"),
    ("`txid`, `vout`, `bad-address`, `hash`", "hash", "is documented but not in the sources"),
    ('    {"txid","vout","hash"}\n\n`bad-address`', "hash", "is documented but not in the sources"),
]


class Docs(unittest.TestCase):
    def check(self, text, name="README.md"):
        with tempfile.TemporaryDirectory() as folder:
            for file, content in {**TREE, name: f"# Title\n\n{text}\n"}.items():
                path = pathlib.Path(folder, file)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            script = pathlib.Path(__file__).with_name("check_docs.py")
            run = subprocess.run(
                [sys.executable, "-B", script, folder], capture_output=True, text=True, check=False)
            return run.returncode, run.stdout.strip()

    def test_passes_existing_names_and_links(self):
        for text in CLEAN:
            with self.subTest(text=text):
                self.assertEqual(self.check(text), (0, "all that the documentation names is there"))

    def test_finds_missing_names_and_links(self):
        for text, complaint in BROKEN:
            with self.subTest(text=text):
                self.assertEqual(self.check(text), (1, f"README.md: {complaint}"))

    def test_looks_for_functions_in_the_headers_of_their_row(self):
        for row in "| `bloom/sizing.h`, `net/user.h` | `filter_size()`, `use()` |", "| here | `on_message()` |":
            self.assertEqual(self.check(row, "docs/api.md"), (0, "all that the documentation names is there"))
        for name in "on_message()", "SyncEngine::on_message()":
            self.assertEqual(self.check(f"| `net/user.h` | `{name}` |", "docs/api.md"),
                             (1, f"docs/api.md: {name} is in no header of its row"))

    def test_compares_the_json_guide_with_the_sources(self):
        for text in '`"txid"`, `vout`, `bad-address`', '    {"txid","vout"}\n\n`bad-address`':
            with self.subTest(text=text):
                self.assertEqual(self.check(text, "docs/json.md"), (0, "all that the documentation names is there"))
        for text, word, reason in JSON_BROKEN:
            with self.subTest(text=text):
                self.assertEqual(self.check(text, "docs/json.md"), (1, f"docs/json.md: {word} {reason}"))

    def test_looks_for_commands_in_the_texts_of_the_libraries(self):
        for text, named in (('"wait; petal " // then\n "sync helps"', "petal sync"),
                            ('"as --cross-check says"', "--cross-check"), ('"as petal synced"', None),
                            ('"a"; // petal sync', None), ('"petal sync 1"', None)):
            with self.subTest(text=text):
                complaint = f"net/text.cpp: the text names {named}, which only petal has"
                self.assertEqual(self.check(text, "net/text.cpp"),
                                 (1, complaint) if named else (0, "all that the documentation names is there"))

    def test_looks_for_names_in_docs_and_for_links_everywhere(self):
        for name, count in ("docs/a.md", 2), ("net/io/README.md", 2), ("tests/fuzz/README.md", 1):
            with self.subTest(name=name):
                status, found = self.check("`FilterShape` [gone](gone.md)", name)
                self.assertEqual((status, len(found.splitlines())), (1, count))


if __name__ == "__main__":
    unittest.main()
