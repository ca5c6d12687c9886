"""Proves that check_layering.py finds the errors that it must find."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from check_layering import MAY_INCLUDE, ROOMS, broken_rules

ALLOWED = [
    ("chain", '#include "chain/bytes.h"'),
    ("chain", "#include <boost/multiprecision/cpp_int.hpp>"),
    ("chain", "#include <openssl/evp.h>"),
    ("bloom", '#include "chain/bytes.h"'),
    ("chain/storage", '#include "chain/bytes.h"'),
    ("chain/storage", "#include <sqlite3.h>"),
    ("wallet/store", '#include "chain/storage/sqlite_file.h"'),
    ("net/io/search", '#include "chain/storage/sqlite_file.h"'),
    ("cli", '#include "chain/storage/private_files.h"'),
    ("wallet", '#include "chain/transaction.h"'),
    ("wallet", "#include <secp256k1_schnorrsig.h>"),
    ("wallet", "#include <SQLiteCpp/Database.h>"),
    ("wallet", "#include <openssl/rand.h>"),
    ("net/io", "#include <openssl/evp.h>"),
    ("net/sync", '#include "net/wire/codec.h"'),
    ("net/sync", '#include "net/peer/peer.h"'),
    ("net/sync", '#include "net/sync/blocks/scan.h"'),
    ("net/sync/blocks", '#include "net/sync/filters/mirror.h"'),
    ("net/sync/blocks", '#include "chain/headers/header_chain.h"'),
    ("wallet/store", '#include "wallet/ledger/ledger.h"'),
    ("cli/filter", '#include "cli/options/options.h"'),
    ("cli/filter", "#include <nlohmann/json.hpp>"),
    ("cli/options", "#include <sqlite3.h>"),
    ("cli/options", "#include <openssl/crypto.h>"),
    ("net/io", '#include "net/discovery/addrman.h"'),
    ("net/broadcast", '#include "net/peer/peer.h"'),
    ("net/sync", "#include <chrono>"),
    ("regtest", '#include "net/wire/codec.h"'),
    ("regtest/serve", '#include "net/io/dial/connection.h"'),
    ("regtest/rpc/methods", '#include "wallet/descriptors/address.h"'),
    ("net/io", '#include "net/sync/sync_engine.h"'),
    ("net/io", "#include <boost/asio/awaitable.hpp>"),
    ("net/io", "const auto now = std::chrono::steady_clock::now();"),
    ("cli", '#include "wallet/wallet.h"'),
    ("cli", '#include "net/io/spv_client.h"'),
    ("client/sync", '#include "wallet/wallet.h"'),
    ("client/sync", '#include "client/data/data_folder.h"'),
    ("client/data", "#include <nlohmann/json.hpp>"),
    ("cli", '#include "client/data/data_folder.h"'),
    ("chain", '// #include "net/io/peer.h"'),
    ("chain", '/*\n#include "net/io/peer.h"\n*/'),
    ("net/sync", "// never std::chrono::steady_clock::now() here"),
    ("net/sync", 'const auto text = "random_device";'),
]

REFUSED = [
    ("chain", '#include "bloom/bloom_filter.h"'),
    ("chain", '#include "net/wire/codec.h"'),
    ("chain", "#include <boost/asio.hpp>"),
    ("chain", "#include <sys/socket.h>"),
    ("chain", "#include <netinet/in.h>"),
    ("chain", "#include <chrono>"),
    ("chain", "#include <random>"),
    ("chain", "#include <openssl/rand.h>"),
    ("chain", "#include <gtest/gtest.h>"),
    ("chain", '#include "bytes.h"'),
    ("chain", '#include "../bloom/sizing.h"'),
    ("chain", '#include "chain/../bloom/sizing.h"'),
    ("chain", '#include "tests/support/chains.h"'),
    ("chain", '  #  include   <bloom/sizing.h>'),
    ("chain", 'const char* s = "\\"//"; \n#include "cli/options/options.h"'),
    ("chain", '#include "chain/storage/private_files.h"'),
    ("chain/headers", '#include "chain/storage/sqlite_file.h"'),
    ("chain/storage", '#include "wallet/wallet.h"'),
    ("net/sync", '#include "chain/storage/sqlite_file.h"'),
    ("chain/headers", "#include <SQLiteCpp/Database.h>"),
    ("wallet/store", "#include <sqlite3.h>"),
    ("net/io/dial", '#include "net/io/search/endpoint_finder.h"'),
    ("wallet", '#include "bloom/sizing.h"'),
    ("cli/options", "#include <openssl/evp.h>"),
    ("cli/options", "#include <boost/asio.hpp>"),
    ("bloom", '#include "wallet/wallet.h"'),
    ("bloom", '#include "net/wire/codec.h"'),
    ("bloom", "std::random_device seed;"),
    ("wallet", '#include "net/wire/messages.h"'),
    ("wallet", '#include "net/io/peer.h"'),
    ("wallet", '#include "cli/options/options.h"'),
    ("wallet", "#include <boost/asio/ip/tcp.hpp>"),
    ("chain", '#include "chain/headers/header_chain.h"'),
    ("chain/script", '#include "chain/headers/header_chain.h"'),
    ("chain/new_room", '#include "chain/bytes.h"'),
    ("wallet/keys", '#include "wallet/wallet.h"'),
    ("wallet/keys", "#include <sys/socket.h>"),
    ("net/sync/filters", '#include "net/sync/blocks/scan.h"'),
    ("net/sync/filters", "const auto now = std::chrono::steady_clock::now();"),
    ("net/sync", '#include "net/discovery/addrman.h"'),
    ("net/wire", '#include "net/sync/filters/mirror.h"'),
    ("net/peer", '#include "net/sync/filters/mirror.h"'),
    ("net/broadcast", '#include "net/sync/filters/mirror.h"'),
    ("net/sync", '#include "net/broadcast/broadcast_engine.h"'),
    ("net/peer", "const auto now = std::chrono::steady_clock::now();"),
    ("net/wire", '#include "net/io/peer.h"'),
    ("net/sync", '#include "net/io/peer.h"'),
    ("net/sync", '#include "regtest/regtest_node.h"'),
    ("net/io", '#include "regtest/regtest_node.h"'),
    ("wallet", '#include "regtest/regtest_node.h"'),
    ("net/sync", '#include "wallet/ledger/ledger.h"'),
    ("net/sync", "#include <boost/asio/steady_timer.hpp>"),
    ("net/sync", "const auto now = std::chrono::system_clock::now();"),
    ("regtest", '#include "net/sync/filters/mirror.h"'),
    ("regtest", '#include "net/io/peer.h"'),
    ("regtest/serve", '#include "net/sync/sync_engine.h"'),
    ("regtest/rpc", '#include "regtest/serve/embedded_node.h"'),
    ("regtest", "RAND_bytes(bytes.data(), 8);"),
    ("net/io", '#include "wallet/wallet.h"'),
    ("net/io", '#include "cli/render.h"'),
    ("net/io", "#include <nlohmann/json.hpp>"),
    ("cli/text", '#include "cli/terminal/console.h"'),
    ("cli/options", '#include "cli/wallet/wallet_text.h"'),
    ("cli/sync/display", '#include "cli/sync/sync_commands.h"'),
    ("cli/spending", '#include "cli/run.h"'),
    ("client/data", '#include "client/sync/peer_source.h"'),
    ("client/sync", '#include "cli/text/text.h"'),
    ("client/sync", '#include "regtest/regtest_node.h"'),
    ("client/sync", "#include <CLI/CLI.hpp>"),
    ("wallet", '#include "client/data/data_folder.h"'),
    ("cli", '#include "tests/support/chains.h"'),
    ("cli", "#include <boost/asio/io_context.hpp>"),
    ("cli", "#include <secp256k1.h>"),
]


class Layering(unittest.TestCase):
    def test_allows_downward_includes(self):
        for folder, source in ALLOWED:
            with self.subTest(folder=folder, source=source):
                self.assertEqual(broken_rules(folder, source), [])

    def test_refuses_other_includes(self):
        for folder, source in REFUSED:
            with self.subTest(folder=folder, source=source):
                self.assertEqual(len(broken_rules(folder, source)), 1)

    def test_refuses_third_parties_in_headers(self):
        source = "#include <nlohmann/json.hpp>"
        self.assertEqual(
            broken_rules("client/data", source, is_header=True),
            [(1, "a header of client/data/ may not include <nlohmann/json.hpp>")],
        )

    def test_names_the_line(self):
        source = '#include "chain/bytes.h"\n/* two\nlines */\n#include "net/io/peer.h"\n'
        self.assertEqual(
            broken_rules("chain", source), [(4, "chain/ may not include net/io/")]
        )

    def test_the_table_has_no_cycle(self):
        for folder, allowed in MAY_INCLUDE.items():
            for lower in allowed:
                self.assertNotIn(folder, MAY_INCLUDE[lower])

    def check_tree_with(self, sources):
        """The status and the output of the program, for a tree that has a source in each folder of the tables, and
        these."""
        script = pathlib.Path(__file__).with_name("check_layering.py")
        with tempfile.TemporaryDirectory() as root:
            rooms = [room for rooms in ROOMS.values() for room in rooms]
            plain = [layer for layer in MAY_INCLUDE if layer in ROOMS.get(layer, (layer,))]
            files = {f"{folder}/a.cpp": "" for folder in [*plain, *rooms]}
            for name, source in {**files, **sources}.items():
                if source is not None:
                    file = pathlib.Path(root, name)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(source, encoding="utf-8")
            run = subprocess.run(
                [sys.executable, "-B", script, root], capture_output=True, text=True, check=False
            )
        return run.returncode, run.stdout.splitlines()

    def test_the_program_fails_on_a_bad_tree_and_passes_a_good_one(self):
        name = "wallet/ledger/ledger.cpp"
        for more, complaints in [
            ({name: '#include "chain/bytes.h"'}, []),
            ({name: '#include "net/io/peer.h"'}, [f"{name}:1: wallet/ may not include net/io/"]),
            ({"tests/a.cpp": '#include "net/io/peer.h"', "examples/a.cpp": ""}, []),
            ({"net/a.h": ""}, ["net/a.h:1: net/ is not in the table of layers"]),
            ({"net/new/a/b.h": ""}, ["net/new/a/b.h:1: net/new/a/ is not in the table of layers"]),
            ({"gui/a.cpp": ""}, ["gui/a.cpp:1: gui/ is not in the table of layers"]),
            ({"wallet/new/a.h": ""}, ["wallet/new/a.h:1: wallet/new/ is not in the table of rooms"]),
            ({"net/peer/a.cpp": None}, ["net/peer/ is in a table, but has no sources"]),
            ({"net/io/dial/a.cpp": None}, ["net/io/dial/ is in a table, but has no sources"]),
        ]:
            with self.subTest(more=more):
                expected = complaints or ["every include runs downward"]
                self.assertEqual(self.check_tree_with(more), (int(bool(complaints)), expected))


if __name__ == "__main__":
    unittest.main()
