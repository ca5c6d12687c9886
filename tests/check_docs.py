#!/usr/bin/env python3
"""Fails when documentation names something that does not exist: the target of a link, a file, a C++ name, a command or
an option; when docs/json.md lacks a key or an error code of the command line; and when a text of the libraries names a
command or an option, which other programs do not have. usage: check_docs.py ROOT"""

import pathlib
import re
import sys

from check_tree import files_of
from cpp_source import without_comments

SOURCES = ("chain", "bloom", "wallet", "net", "client", "regtest", "cli")
# Links are checked in every Markdown file, names only in these. The tests' other READMEs name options of test programs.
NAMES_CHECKED = re.compile(
    r"((chain|bloom|wallet|net|client|regtest|cli|examples|tests/model)/([\w-]+/)*)?README\.md|docs/.*\.md")

# Fenced or indented blocks.
BLOCK = re.compile(r"^```[\s\S]*?^```$|(?:^(?: {4}|\n {4})[^\n]*\n)+", re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)

# A path in the repository, such as `bloom/sizing.h`, `sizing.h` or `bloom/`, or a path of an installed header.
FILE = re.compile(r"<?(?:petal/)?((?:[\w-]+/)*[\w-]+\.(?:h|cpp|py|md)|(?:[\w-]+/)+)>?")
TYPE = re.compile(r"\b(?:class|struct|enum class|using) (\w+)\b(?!;)")
# `SyncEngine`, `Watcher::apply()`, `filter_size`; not `testnet4`, `NODE_BLOOM` or `filterload`.
NAME = re.compile(r"(?=\w*::|\w*[a-z]\w*[A-Z]|[a-z]+_|\w+\(\))([\w:]+)(?:\(\))?")
QUALIFIED = re.compile(r"\b((?:chain|bloom|wallet|net|client)::[\w:]+)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMAND = re.compile(r"petal (?:--[a-z-]+ \S+ )*([a-z][a-z-]+)")

# Literals that follow each other are one text.
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
# The first bytes of a file, and what a key or a cipher is derived with.
FORMAT = re.compile(r'"petal \w+(?: \d|\\|"$)')

JSON_GUIDE = "docs/json.md"
# JSON that is Bitcoin Core's, BIP329's or a file's, and the names of log levels.
OTHER_JSON = re.compile(
    r"cli/(backup/label_file|options/command_line)\.(h|cpp)")
# `{"txid", …`, `json["txid"]`, `\"txid\":`; not a table's column, a row of two texts, or a choice `{"all", Mode::all}`.
JSON_KEY = re.compile(r'''{\s*"([a-z]\w*)",(?!\s*(?:Align\b|"[^"]*",|(?:\w+::)+\w+[},]))|\["([a-z]\w*)"\]|'''
                      r'''\\"(\w+)\\":|print_list\(\s*"(\w+)"''')
# After an exit status, or a kebab-case word after another argument that is no constant.
ERROR_CODE = re.compile(r'''ExitStatus::\w+,\s*"([a-z-]+)"|(?:\b(?!k[A-Z])\w+,|[(?:])\s*"([a-z]+(?:-[a-z]+)+)"''')


def anchors_of(text):
    """The anchors that GitHub makes from a file's headings."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(BLOCK.sub("", text)))
    return {heading.replace(" ", "-") for heading in plain}


class Tree:
    """The files, names, commands and options that documentation may name."""

    def __init__(self, root):
        files = {path.relative_to(root).as_posix(): path for path in files_of(root)}

        def texts(is_wanted):
            return {name: files[name].read_text(encoding="utf-8", errors="replace")
                    for name in files if is_wanted(name)}

        def is_source(name):
            return name.endswith((".h", ".cpp", ".py", ".sh", ".cmake", ".txt", ".pml")) and "/corpus/" not in name

        sources = texts(is_source)
        self.paths = set(files) | {parent.as_posix() for name in files for parent in pathlib.Path(name).parents}
        self.file_names = {path.name for path in files.values()}
        self.words = {name: set(re.findall(r"\w+", text)) for name, text in sources.items()}
        self.definers = {}
        for name, text in sources.items():
            for defined in TYPE.findall(text) if name.startswith(SOURCES) else ():
                self.definers.setdefault(defined, set()).add(name)
        cli = "\n".join(text for name, text in sources.items() if name.startswith("cli/"))
        self.options = set(OPTION.findall(cli))
        self.commands = set(re.findall(r'"([a-z][a-z-]*)"', cli))
        self.calls = {f"petal {name}" for name in re.findall(r'"([a-z-]+)"', sources.get("cli/commands.cpp", ""))}
        product = "\n".join(text for name, text in sources.items() if name.startswith(SOURCES))
        self.literals = set(re.findall(r'"([\w-]+)\\?"', product))
        printed = "\n".join(text for name, text in sources.items()
                            if name.startswith("cli/") and not OTHER_JSON.fullmatch(name)
                            and re.search(r"\bJson\b|CommandError", text))
        self.printed = {"".join(found) for found in JSON_KEY.findall(printed) + ERROR_CODE.findall(printed)}
        self.libraries = {name: text for name, text in sources.items()
                          if name.startswith(SOURCES[:-1]) and not name.startswith("regtest/rpc/")}
        self.markdown = texts(lambda name: name.endswith(".md"))

    def has_file(self, path, folder):
        """Whether the repository has the path. A path outside of the repository, such as `include/petal/`, counts as
        existing."""
        is_named = path in self.file_names or f"{folder}/{path}".rstrip("/") in self.paths
        is_foreign = path.endswith("/") and path.split("/")[0] not in self.paths
        return is_named or is_foreign or path.rstrip("/") in self.paths

    def has_name(self, name):
        """Whether the sources have the name. A member must be in the file that defines its type."""
        parts = [part for part in name.split("::") if part not in ("", "petal", *SOURCES)]
        places = self.definers.get(parts[0], ()) if len(parts) > 1 else self.words
        return not parts or any(self.words[place].issuperset(parts) for place in places)

    def unknown_in_row(self, row):
        """The functions in a row of a table that no header of the same row has; empty if it names no header."""
        spans = SPAN.findall(row)
        headers = [words for span in spans if span.endswith(".h")
                   for place, words in self.words.items() if f"/{place}".endswith(f"/{span}")]
        functions = [span for span in spans if span.endswith("()") and NAME.fullmatch(span)]
        return [name for name in functions
                if headers and not any(words.issuperset(name[:-2].split("::")) for words in headers)]

    def fault_of_link(self, file, target):
        if re.match(r"[a-z]+:", target):
            return None
        path, _, anchor = target.partition("#")
        place = file
        if path:
            parts = []
            for part in (pathlib.PurePosixPath(file).parent / path).parts:
                parts = parts[:-1] if part == ".." else [*parts, part]
            place = "/".join(parts)
        if place not in self.paths:
            return "leads to no file"
        if anchor and anchor not in anchors_of(self.markdown.get(place, "")):
            return "leads to no heading"
        return None

    def unknown_in_code(self, code, folder):
        """The unknown names in a span of code; empty if there are none."""
        if match := FILE.fullmatch(code):
            return [] if self.has_file(match[1], folder) else [code]
        if match := NAME.fullmatch(code):
            return [] if self.has_name(match[1]) else [code]
        return self.unknown_in_shell(code)

    def unknown_in_shell(self, line):
        """Commands and options of a line of shell that petal does not have."""
        unknown = []
        for call in re.split(r"[|;&(]", line.split("  #")[0]):
            call = call.strip().removeprefix("./")
            if call.startswith("--") or call.startswith("petal "):
                unknown += [option for option in OPTION.findall(call) if option not in self.options]
            if (match := COMMAND.match(call)) and match[1] not in self.commands:
                unknown.append(match[1])
        return unknown


def json_complaints(tree):
    """(word, reason) for each key and code that the guide of the JSON interface lacks, or invents."""
    told = set(re.findall(r"""[`"]([a-z][\w-]*)[`"]""", tree.markdown[JSON_GUIDE]))
    return ([(word, "is printed but not documented") for word in sorted(tree.printed - told)] +
            [(word, "is documented but not in the sources") for word in sorted(told - tree.literals)])


def complaints_about_texts(tree):
    """(file, command or option) for each that a text of the libraries names."""
    return [(name, unknown) for name, source in sorted(tree.libraries.items())
            for text in TEXT.findall(without_comments(source)) if not FORMAT.match(text)
            for joined in [re.sub(r'"\s*"', "", text)]
            for unknown in [word for word in re.findall(r"\bpetal [a-z-]+", joined) if word in tree.calls]
            + [option for option in OPTION.findall(joined) if option in tree.options]]


def complaints(tree, file):
    """(text, reason) for each wrong link and name in a Markdown file."""
    text = tree.markdown[file]
    prose = BLOCK.sub("\n", text)
    faults = [(target, tree.fault_of_link(file, target)) for target in LINK.findall(prose)]
    unknown = []
    if NAMES_CHECKED.fullmatch(file):
        for code in SPAN.findall(prose):
            unknown += tree.unknown_in_code(code, file.rpartition("/")[0])
        for block in BLOCK.findall(text):
            unknown += [name for name in QUALIFIED.findall(block) if not tree.has_name(name)]
            for line in block.splitlines():
                unknown += tree.unknown_in_shell(line)
        rows = prose.splitlines() if file.startswith("docs/") else []
        faults += [(name, "is in no header of its row")
                   for row in rows if row.startswith("|") for name in tree.unknown_in_row(row)]
    faults += json_complaints(tree) if file == JSON_GUIDE else []
    return [fault for fault in faults if fault[1]] + [(what, "is not in the tree") for what in unknown]


def check(root):
    tree = Tree(root)
    return ([f"{file}: {what} {why}" for file in sorted(tree.markdown) for what, why in complaints(tree, file)] +
            [f"{file}: the text names {what}, which only petal has" for file, what in complaints_about_texts(tree)])


if __name__ == "__main__":
    wrong = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(wrong) if wrong else "all that the documentation names is there")
    sys.exit(bool(wrong))
