#!/usr/bin/env python3
"""Fails when an include runs against the layers. usage: check_layering.py ROOT"""

import pathlib
import re
import sys

from cpp_source import sources, without_comments, without_comments_and_literals

# These tables are the architecture. A folder may include itself and what stands beside it here;
# tests may include everything.
MAY_INCLUDE = {
    "chain": set(),
    "bloom": {"chain"},
    "wallet": {"bloom", "chain"},
    "net/wire": {"bloom", "chain"},
    "net/peer": {"net/wire", "bloom", "chain"},
    "net/sync": {"net/peer", "net/wire", "bloom", "chain"},
    "net/broadcast": {"net/peer", "net/wire", "bloom", "chain"},
    "net/regtest": {"net/wire", "bloom", "chain"},
    "net/io": {
        "net/sync",
        "net/broadcast",
        "net/regtest",
        "net/peer",
        "net/wire",
        "bloom",
        "chain",
    },
    "cli": {
        "net/io",
        "net/sync",
        "net/broadcast",
        "net/regtest",
        "net/peer",
        "net/wire",
        "wallet",
        "bloom",
        "chain",
    },
}

# Third-party headers (all that begin so, where a name ends in / or *), and the folders that may include them.
# The first name that fits decides.
THIRD_PARTIES = {
    "openssl/": {"chain", "wallet", "net/io"},
    "boost/container/": {"chain"},
    "boost/multiprecision/": {"chain"},
    "boost/": {"net/io"},
    "secp256k1*": {"chain", "wallet"},
    "utf8proc.h": {"wallet"},
    "sqlite3.h": {"wallet"},
    "SQLiteCpp/": {"wallet", "net/io"},
    "CLI/": {"cli"},
    "nlohmann/": {"cli"},
    "toml++/": {"cli"},
    "qrencode.h": {"cli"},
    "gtest/": set(),
    "gmock/": set(),
    "benchmark/": set(),
}

SOCKETS = ("sys/socket.h", "sys/un.h", "netinet/", "arpa/", "netdb.h", "poll.h", "sys/epoll.h")
CLOCKS = ("chrono", "ctime", "time.h", "sys/time.h")
RANDOMNESS = ("random", "openssl/rand.h", "sys/random.h")

# System headers which are refused in every folder.
NEVER_INCLUDE = {
    "chain": SOCKETS + CLOCKS + RANDOMNESS,
    "bloom": SOCKETS + RANDOMNESS,
    "wallet": SOCKETS,
    "net/wire": SOCKETS + RANDOMNESS,
    "net/peer": SOCKETS,
    "net/sync": SOCKETS,
    "net/broadcast": SOCKETS,
    "net/regtest": SOCKETS,
}

# Where the time and the random source are parameters, reading them from the machine is a bug
# that no include shows.
PURE = {
    "chain",
    "bloom",
    "net/wire",
    "net/peer",
    "net/sync",
    "net/broadcast",
    "net/regtest",
}
IMPURE = re.compile(r"\b(?:random_device|RAND_bytes|getrandom|\w+_clock::now|std::time)\b")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
TOP_FOLDERS = {folder.split("/")[0] for folder in MAY_INCLUDE} | {"tests"}


def folder_of(header):
    """The folder or room that the header belongs to, or None for a header from elsewhere."""
    parts = header.split("/")
    if parts[0] == "net":
        return "/".join(parts[:2])
    return parts[0] if parts[0] in TOP_FOLDERS else None


def is_named_by(name, header):
    """True if `header` is `name`, or begins with it where it ends in a slash or star."""
    return header.startswith(name[:-1]) if name.endswith(("/", "*")) else header == name


def objection(folder, header, quoted):
    """Why `folder` may not include `header`, or None if it may."""
    if ".." in header.split("/"):
        return f"{header} is not named from the root"
    target = folder_of(header)
    if target is not None:
        allowed = MAY_INCLUDE[folder] | {folder}
        return None if target in allowed else f"{folder}/ may not include {target}/"
    if quoted:
        return f"{header} is not named from the root"
    refused = any(is_named_by(name, header) for name in NEVER_INCLUDE.get(folder, ()))
    users = next((who for name, who in THIRD_PARTIES.items() if is_named_by(name, header)), None)
    if refused or (users is not None and folder not in users):
        return f"{folder}/ may not include <{header}>"
    return None


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def broken_rules(folder, text):
    """(line, reason) for each place in the source `text` of `folder` that breaks a rule."""
    code = without_comments(text)
    broken = []
    for match in INCLUDE.finditer(code):
        quoted = match[1] is not None
        reason = objection(folder, match[1] or match[2], quoted)
        if reason:
            broken.append((line_of(code, match.start()), reason))
    if folder in PURE:
        for match in IMPURE.finditer(without_comments_and_literals(text)):
            reason = f"{folder}/ is given the time and its randomness: {match[0]}"
            broken.append((line_of(text, match.start()), reason))
    return broken


def check(root):
    complaints = []
    for folder in MAY_INCLUDE:
        for path in sources(root / folder):
            complaints += [
                f"{path.relative_to(root)}:{line}: {reason}"
                for line, reason in broken_rules(folder, path.read_text(encoding="utf-8"))
            ]
    for path in sorted((root / "net").glob("*.[hc]*")):
        complaints.append(f"{path.relative_to(root)}:1: net/ has rooms: put the file into one")
    return complaints


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else "every include runs downward")
    sys.exit(bool(found))
