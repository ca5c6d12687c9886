#!/usr/bin/env python3
"""Makes anchor_table.cpp from lists of headers.

    make_anchors.py NAME:SPACING:FILE... > anchor_table.cpp

Each line of a FILE is a height that is a multiple of 2016, the chainwork there and the header's 80
bytes, both in hexadecimal (as bitcoinj's checkpoints hold them). One in SPACING is taken, counted
from the last.
"""
import sys

HEAD = """// Made by make_anchors.py: blocks that open a period of 2016, with the work of the chain up to them.
#include "chain/headers/anchor_table.h"

namespace petal::chain {

namespace {

// clang-format off
"""

TAIL = """// clang-format on

}  // namespace

std::span<const AnchorRow> anchor_rows(std::string_view network) {
%s    return {};
}

}  // namespace petal::chain
"""


def rows(path, spacing):
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file if line.strip()]
    return lines[len(lines) - 1::-spacing][::-1]


def main():
    print(HEAD, end="")
    names = []
    for argument in sys.argv[1:]:
        name, spacing, path = argument.split(":")
        array = f"k{name.capitalize()}"
        print(f"constexpr AnchorRow {array}[] = {{")
        for height, work, header in rows(path, int(spacing)):
            print(f'    {{{height}, "{work.lstrip("0")}", "{header}"}},')
        print("};")
        names.append(f'    if (network == "{name}") return {array};\n')
    print(TAIL % "".join(names), end="")


if __name__ == "__main__":
    main()
