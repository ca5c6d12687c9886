"""Blanks out comments and literals of C++ source, so that checks see only code, and runs such checks."""

import pathlib
import re
import sys

# The order matters: the piece that starts first wins, and a quote within a number is a digit separator.
_PIECES = re.compile(
    r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ )
  | (?P<raw>     (?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)" )
  | (?P<number>  \b\d(?:'?[\w.])* )
  | (?P<literal> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
    """,
    re.VERBOSE | re.DOTALL,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """`text` with every comment replaced by spaces; lines and columns do not change."""
    return _PIECES.sub(lambda m: _blank(m[0]) if m["comment"] else m[0], text)


def without_comments_and_literals(text):
    """Like without_comments(), and the text between quotes is blanked, too (the quotes remain)."""

    def replace(match):
        if match["comment"]:
            return _blank(match[0])
        if match["raw"] or match["literal"]:
            return match[0][0] + _blank(match[0][1:-1]) + match[0][-1]
        return match[0]

    return _PIECES.sub(replace, text)


def sources(folder):
    """All C++ files under `folder`, sorted."""
    return sorted(
        path for path in folder.rglob("*") if path.suffix in {".h", ".cpp"} and path.is_file()
    )


def complaints_about(root, folders, broken_rules):
    """A line for each (line, reason) that `broken_rules` gives for a C++ file of these folders under `root`."""
    return [
        f"{path.relative_to(root)}:{line}: {reason}"
        for folder in folders
        for path in sources(root / folder)
        for line, reason in broken_rules(path.read_text(encoding="utf-8"))
    ]


def run_check(folders, broken_rules, praise):
    """Checks the tree that the command line names, and exits with the status."""
    found = complaints_about(pathlib.Path(sys.argv[1]), folders, broken_rules)
    print("\n".join(found) if found else praise)
    sys.exit(bool(found))
