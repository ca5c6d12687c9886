#!/usr/bin/env python3
"""Fails when a class or struct of the product has too many functions or data members. usage: check_classes.py ROOT"""

import re

from cpp_source import run_check, without_comments_and_literals

FOLDERS = ("chain", "bloom", "wallet", "net", "regtest", "cli")
# A class with more than this should be two classes.
FUNCTIONS = 25
DATA_MEMBERS = 12

# These classes are flat on purpose, for the given reason.
EXEMPT = {
    "NetworkParams": "the constants of a network, one by one as in Bitcoin Core's chainparams",
    "World": "the figures that the measures assume, each with its source",
    "Inspection": "the measures of one filter, in the order of the report",
    "WalletInfo": "the lines of `petal info`",
    "HistoryEntry": "a line of `petal history`",
    "SyncOptions": "the settings of a sync, one by one",
    "HeaderTable": "one tree: its records, its best chain, and which of them count",
    "Scan": "the order of the blocks: what it is told, and what its parts ask it",
    "SyncEngine::Parts": "the parts of the engine, one member each",
    "Ledger": "one change of the transactions each, and the indexes that follow from them",
    "WalletState": "scripts and ledger of one wallet, which change together",
    "WalletStore": "access to each table of the file, and its database transactions",
    "Wallet": "the wallet's façade: each function is one request, and its parts answer",
}

HEAD = re.compile(r"(?<!enum )\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?([A-Z]\w*(?:::\w+)*)\s*(?:final\b\s*)?(?::[^;{}()]*)?\{")
NO_MEMBER = re.compile(r"(?:using|friend|static_assert|static|typedef|enum|class|struct|union)\b")


def end_of_block(code, start):
    """The position after the brace that closes the brace at `start`."""
    depth = 0
    for position in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position + 1
    return len(code)


def without_nested(text, opening, closing):
    """`text` without everything inside these brackets."""
    kept, depth = [], 0
    for character in text:
        depth += character == opening
        if depth == 0:
            kept.append(character)
        depth -= character == closing and depth > 0
    return "".join(kept)


def declarations(body):
    """The declarations in a class's body, each up to its semicolon or to its function body."""
    start = position = 0
    while position < len(body):
        if body[position] == ";":
            yield body[start:position]
            start = position = position + 1
        elif body[position] == "{":
            end = end_of_block(body, position)
            before = without_nested(body[start:position], "<", ">")
            is_function = "(" in before and before.count("(") == before.count(")")
            if not is_function or body[end:].lstrip()[:1] in (";", ","):
                position = end  # an initialiser, or a nested type
                continue
            yield body[start:position]
            start = position = end
        else:
            position += 1


def members_of(body, name):
    """(functions, data members) that the body of the class `name` declares. Overloads count once. Constructors,
    destructors, copy and move operations, operators and constants do not count."""
    functions, data = set(), 0
    for declaration in declarations(body):
        text = re.sub(r"\b(?:public|protected|private)\s*:(?!:)", " ", declaration)
        text = re.sub(r"\[\[.*?\]\]|\b(?:mutable|inline|explicit|virtual)\b", " ", text)
        text = without_nested(text, "<", ">").strip()
        is_template = text.startswith("template")
        text = text.removeprefix("template").strip()
        before = re.split(r"=|\{", re.sub(r"operator\W+", "operator(", text))[0]
        if "(" in before and not re.match(r"(?:using|friend|static_assert|typedef)\b", text):
            function = re.search(r"(~?\w+)\s*\(", before)[1]
            if function not in {name, "operator"} and function[0] != "~":
                functions.add(function)
        elif re.match(r"(?:struct|union)\b.*\}\s*\w+$", text, re.DOTALL):
            data += 1  # a member of an unnamed type
        elif text and not is_template and not NO_MEMBER.match(text):
            data += 1 + without_nested(text, "{", "}").count(",")
    return len(functions), data


def classes_of(text):
    """(line, name, functions, data members) of each class and struct that the source `text` defines."""
    code = without_comments_and_literals(text)
    for head in HEAD.finditer(code):
        body = code[head.end() : end_of_block(code, head.end() - 1) - 1]
        yield (code.count("\n", 0, head.start()) + 1, head[1], *members_of(body, head[1].rpartition(":")[2]))


def broken_rules(text):
    """(line, reason) for each class in the source `text` that is too large."""
    broken = []
    for line, name, functions, data in classes_of(text):
        if functions > FUNCTIONS and name not in EXEMPT:
            broken.append((line, f"{name} has {functions} functions, more than {FUNCTIONS}"))
        if data > DATA_MEMBERS and name not in EXEMPT:
            broken.append((line, f"{name} has {data} data members, more than {DATA_MEMBERS}"))
    return broken


if __name__ == "__main__":
    run_check(FOLDERS, broken_rules, "every class is small enough")
