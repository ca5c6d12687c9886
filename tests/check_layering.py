#!/usr/bin/env python3
"""Fails when an include runs against the layers, or when a folder and the tables of layers and rooms differ.
usage: check_layering.py ROOT"""

import pathlib
import re
import sys

from check_tree import files_of
from cpp_source import without_comments, without_comments_and_literals

# These tables are the architecture. A layer may include itself and the layers beside it here.
MAY_INCLUDE = {
    "chain": set(),
    "chain/storage": {"chain"},
    "bloom": {"chain"},
    "wallet": {"chain", "chain/storage"},
    "net/wire": {"bloom", "chain"},
    "net/peer": {"net/wire", "bloom", "chain"},
    "net/discovery": {"net/peer", "net/wire", "bloom", "chain"},
    "net/sync": {"net/peer", "net/wire", "bloom", "chain"},
    "net/broadcast": {"net/peer", "net/wire", "bloom", "chain"},
    "net/io": {
        "net/sync",
        "net/discovery",
        "net/broadcast",
        "net/peer",
        "net/wire",
        "bloom",
        "chain",
        "chain/storage",
    },
    "client": {
        "net/io",
        "net/sync",
        "net/discovery",
        "net/broadcast",
        "net/peer",
        "net/wire",
        "wallet",
        "bloom",
        "chain",
        "chain/storage",
    },
    "regtest": {"net/wire", "bloom", "chain"},
    "regtest/wallets": {"wallet", "chain"},
    "regtest/rpc": {"regtest", "regtest/wallets", "wallet", "chain"},
    "regtest/serve": {"regtest", "net/io", "net/wire", "chain", "chain/storage"},
    "regtest/front": {"regtest", "regtest/rpc", "regtest/serve", "net/io", "wallet", "chain"},
    "cli": {
        "client",
        "regtest",
        "regtest/front",
        "regtest/rpc",
        "regtest/serve",
        "regtest/wallets",
        "net/io",
        "net/sync",
        "net/discovery",
        "net/broadcast",
        "net/peer",
        "net/wire",
        "wallet",
        "bloom",
        "chain",
        "chain/storage",
    },
}

# The rooms of a layer, bottom up: each may include itself and the rooms before it. A layer that is not listed has
# no rooms.
ROOMS = {
    "chain": ("chain", "chain/files", "chain/script", "chain/block_filters", "chain/headers"),
    "bloom": ("bloom", "bloom/measures"),
    "wallet": (
        "wallet/keys",
        "wallet/descriptors",
        "wallet/ledger",
        "wallet/spending",
        "wallet/psbt",
        "wallet/store",
        "wallet",
    ),
    "net/sync": (
        "net/sync/headers",
        "net/sync/filters",
        "net/sync/unconfirmed",
        "net/sync/blocks",
        "net/sync/peers",
        "net/sync/state",
        "net/sync/matches",
        "net/sync/relay",
        "net/sync",
    ),
    "net/io": ("net/io/dial", "net/io/search", "net/io"),
    "cli": (
        "cli/text",
        "cli/terminal",
        "cli/files",
        "cli/options",
        "cli/secrets",
        "cli/filter/input",
        "cli/filter/measures",
        "cli/filter/general",
        "cli/filter/report",
        "cli/filter",
        "cli/wallet",
        "cli/backup",
        "cli/headers",
        "cli/payment",
        "cli/psbt",
        "cli/sync/text",
        "cli/sync/display",
        "cli/sync",
        "cli/spending",
        "cli/regtest",
        "cli/bitcoind",
        "cli",
        "cli/reference",
    ),
    "client": ("client/data", "client/sync", "client/spending"),
    "regtest": ("regtest/mempool", "regtest/chain", "regtest"),
    "regtest/rpc": ("regtest/rpc", "regtest/rpc/wallet_methods", "regtest/rpc/methods"),
}

# Third-party headers, and the folders that may include them. A name that ends in / or * stands for all headers with
# that prefix. The first matching name decides.
THIRD_PARTIES = {
    "openssl/crypto.h": {"chain", "chain/storage", "wallet", "net/io", "regtest/serve", "cli"},  # for its version
    "openssl/": {"chain", "chain/storage", "wallet", "net/io", "regtest/serve"},
    "boost/container/": {"chain"},
    "boost/multiprecision/": {"chain"},
    "boost/unordered/": {"net/sync", "wallet", "regtest"},
    "boost/version.hpp": {"cli"},
    "boost/": {"net/io", "regtest/serve"},
    "secp256k1*": {"chain", "wallet", "regtest"},
    "utf8proc.h": {"wallet", "cli"},
    "sqlite3.h": {"chain/storage", "cli"},  # for its version
    "SQLiteCpp/": {"chain/storage", "wallet", "net/io"},
    "CLI/": {"cli"},
    "nlohmann/": {"client", "regtest/rpc", "cli"},
    "toml++/": {"cli"},
    "qrencode.h": {"cli"},
    "gtest/": set(),
    "gmock/": set(),
    "benchmark/": set(),
}

# Third parties that the headers of a layer must not include, so that its users do not need them.
NOT_IN_HEADERS = {"client": ("nlohmann/",)}

SOCKETS = ("sys/socket.h", "sys/un.h", "netinet/", "arpa/", "netdb.h", "poll.h", "sys/epoll.h")
CLOCKS = ("chrono", "ctime", "time.h", "sys/time.h")
RANDOMNESS = ("random", "openssl/rand.h", "sys/random.h")

# System headers that each layer must not include.
NEVER_INCLUDE = {
    "chain": SOCKETS + CLOCKS + RANDOMNESS,
    "chain/storage": SOCKETS + RANDOMNESS,
    "bloom": SOCKETS + RANDOMNESS,
    "wallet": SOCKETS,
    "net/wire": SOCKETS + RANDOMNESS,
    "net/peer": SOCKETS,
    "net/discovery": SOCKETS,
    "net/sync": SOCKETS,
    "net/broadcast": SOCKETS,
    "regtest": SOCKETS,
    "regtest/rpc": SOCKETS,
    "regtest/wallets": SOCKETS,
}

# In these folders, the time and the random source are parameters. Reading them from the machine is a bug that no
# include shows.
PURE = {
    "chain",
    "bloom",
    "net/wire",
    "net/peer",
    "net/discovery",
    "net/sync",
    "net/broadcast",
    "regtest",
    "regtest/rpc",
    "regtest/wallets",
}
IMPURE = re.compile(r"\b(?:random_device|RAND_bytes|getrandom|\w+_clock::now|std::time)\b")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
UNCHECKED = {"tests", "examples"}  # they may include everything
TOP_FOLDERS = {folder.split("/")[0] for folder in MAY_INCLUDE} | {"tests"}


def layer_of(path):
    """The layer that a file or folder belongs to, or None if it belongs to none."""
    parts = path.split("/")
    room = "/".join(parts[:2])
    name = room if room in MAY_INCLUDE or parts[0] == "net" else parts[0]
    return name if parts[0] in TOP_FOLDERS else None


def folder_objection(folder, target):
    """Why a source in `folder` may not include a header in the folder `target`, or None if it may."""
    layer, other = layer_of(folder), layer_of(target)
    if other not in MAY_INCLUDE[layer] | {layer}:
        return f"{layer}/ may not include {other}/"
    rooms = ROOMS.get(layer, ())
    if layer != other or not rooms:
        return None
    for room in (folder, target):
        if room not in rooms:
            return f"{room}/ is not in the table of rooms"
    if rooms.index(target) > rooms.index(folder):
        return f"{folder}/ may not include {target}/"
    return None


def is_kept_out_of_headers(folder, header):
    """Whether only sources of the folder may include it: a program that includes a header needs them."""
    names = NOT_IN_HEADERS.get(layer_of(folder), ())
    return any(is_named_by(name, header) for name in names)


def is_named_by(name, header):
    """True if `header` is `name`, or starts with `name` if that ends in a slash or star."""
    return header.startswith(name[:-1]) if name.endswith(("/", "*")) else header == name


def objection(folder, header, quoted):
    """Why `folder` may not include `header`, or None if it may."""
    if ".." in header.split("/"):
        return f"{header} is not named from the root"
    if layer_of(header) is not None:
        return folder_objection(folder, header.rpartition("/")[0])
    if quoted:
        return f"{header} is not named from the root"
    layer = layer_of(folder)
    refused = any(is_named_by(name, header) for name in NEVER_INCLUDE.get(layer, ()))
    users = next((who for name, who in THIRD_PARTIES.items() if is_named_by(name, header)), None)
    if refused or (users is not None and layer not in users):
        return f"{folder}/ may not include <{header}>"
    return None


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def broken_rules(folder, text, is_header=False):
    """(line, reason) for each place in the source or header `text` of `folder` that breaks a rule."""
    code = without_comments(text)
    broken = []
    for match in INCLUDE.finditer(code):
        quoted = match[1] is not None
        reason = objection(folder, match[1] or match[2], quoted)
        if reason is None and is_header and is_kept_out_of_headers(folder, match[2] or ""):
            reason = f"a header of {folder}/ may not include <{match[2]}>"
        if reason:
            broken.append((line_of(code, match.start()), reason))
    if layer_of(folder) in PURE:
        for match in IMPURE.finditer(without_comments_and_literals(text)):
            reason = f"{folder}/ is given the time and its randomness: {match[0]}"
            broken.append((line_of(text, match.start()), reason))
    return broken


def check(root):
    complaints, found = [], set()
    for path in files_of(root):
        folder = path.parent.relative_to(root).as_posix()
        if path.suffix not in {".h", ".cpp"} or folder.split("/")[0] in UNCHECKED:
            continue
        name, layer = path.relative_to(root), layer_of(folder)
        found |= {folder, layer}
        if layer not in MAY_INCLUDE:
            complaints.append(f"{name}:1: {folder}/ is not in the table of layers")
            continue
        if folder not in ROOMS.get(layer, (folder,)):
            complaints.append(f"{name}:1: {folder}/ is not in the table of rooms")
        complaints += [
            f"{name}:{line}: {reason}"
            for line, reason in broken_rules(folder, path.read_text(encoding="utf-8"), path.suffix == ".h")
        ]
    rows = dict.fromkeys([*MAY_INCLUDE, *(room for rooms in ROOMS.values() for room in rooms)])
    complaints += [f"{row}/ is in a table, but has no sources" for row in rows if row not in found]
    return complaints


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else "every include runs downward")
    sys.exit(bool(found))
