#!/usr/bin/env python3
"""The programs of the sync benchmark, on a short chain.

usage: programs_test.py BUILD_DIR
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import sync_bench
from compare import compare

BLOCKS = 400
BUILD = None
PROGRAMS = None


class BenchPrograms(unittest.TestCase):
    def null_client(self, endpoint, truth, *arguments):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(truth["filter"])
            file.flush()
            return sync_bench.measure(PROGRAMS, PROGRAMS.null_client, endpoint, file.name,
                                      *arguments)

    def test_null_client_gets_every_block_and_transaction(self):
        with sync_bench.nodes(PROGRAMS, blocks=BLOCKS, transactions=3, payments=40) as truth:
            for in_flight in ("2000", "7"):
                _, got = self.null_client(truth["endpoints"][0], truth, in_flight)
                self.assertEqual(got["headers"], BLOCKS)
                self.assertEqual(got["blocks"], BLOCKS)
                # Spends are found by the outpoints that the node adds to its filter. A match may be a false positive.
                self.assertIn(got["transactions"], (40, 41))

    def test_null_client_gets_every_full_block(self):
        with sync_bench.nodes(PROGRAMS, blocks=BLOCKS, transactions=3, payments=40) as truth:
            _, got = sync_bench.measure(PROGRAMS, PROGRAMS.null_client, truth["endpoints"][0],
                                        "--full-blocks", "7")
        self.assertEqual((got["blocks"], got["transactions"]), (BLOCKS, 0))

    def test_proxy_delays_each_way_and_nothing_else(self):
        with sync_bench.nodes(PROGRAMS, blocks=BLOCKS, transactions=3, payments=40) as truth, \
                sync_bench.running(PROGRAMS.delay_proxy, truth["endpoints"][0], 100) as proxy:
            taken, got = self.null_client(proxy["endpoint"], truth)
        self.assertEqual(got["blocks"], BLOCKS)
        # Three round trips: version and verack, headers, blocks.
        self.assertGreaterEqual(taken["wall_s"], 0.6)
        self.assertLess(taken["wall_s"], 5)

    def test_wallet_ends_with_as_many_coins_as_it_is_told_to(self):
        with sync_bench.nodes(PROGRAMS, blocks=BLOCKS, transactions=2, payments=100,
                              coins=10) as truth:
            self.assertEqual(truth["utxos"], 10)
            self.assertEqual(truth["transactions"], 100)
            sync_bench.sync_once(PROGRAMS, truth, truth["endpoints"])

    def test_nodes_take_their_time(self):
        with sync_bench.nodes(PROGRAMS, blocks=BLOCKS, transactions=1, payments=0, nodes=2,
                              block_us=1000) as truth:
            self.assertEqual(len(set(truth["endpoints"])), 2)
            for endpoint in truth["endpoints"]:
                taken, _ = self.null_client(endpoint, truth)
                self.assertGreaterEqual(taken["wall_s"], BLOCKS / 1000)

    def test_comparison_is_a_table_of_all_wallets_that_are_there(self):
        script = pathlib.Path(__file__).with_name("compare") / "compare.py"
        other = "python3 -c 'print(\"{\\\"transactions\\\": 3}\")'"
        environment = {**os.environ, "PETAL_BCOIN": "", "PETAL_COMPARE_OTHER": other}
        done = subprocess.run(
            [sys.executable, "-B", script, BUILD, "--blocks", str(BLOCKS), "--transactions", "2",
             "--payments", "5", "--runs", "1"],
            env=environment, capture_output=True, text=True, check=True)
        rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
        self.assertEqual([(row[0], row[-1]) for row in rows[1:]],
                         [("| petal", "5 of 5 |"), ("| null client", " |"),
                          ("| other", "3 of 5 |"), ("| bcoin", " |")])


def measured(*seconds):
    """One measurement for each duration, with a quarter of it as CPU time, and 3 MiB for each second."""
    return [{"wall_s": one, "user_s": one / 8, "system_s": one / 8, "peak_kib": 3 * one * 1024} for one in seconds]


class ComparisonRows(unittest.TestCase):
    DIRECT = {"petal": measured(2, 8, 4), "bcoin": measured(20, 6, 10), "null client": measured(1, 3, 2)}
    DELAYED = {"petal": measured(5, 6, 7), "bcoin": measured(90, 9, 18), "null client": measured(3, 4, 2)}
    SIZES = {"petal": 4_000_000, "bcoin": 5_000_000, "null client": 3_000_000}
    FOUND = {"petal": 7, "bcoin": 6, "null client": None}

    def rows(self, *clients):
        return list(compare.rows(clients, self.DIRECT, self.DELAYED, self.SIZES, self.FOUND, 7))

    def test_give_medians_and_multiples_of_petals_figures(self):
        self.assertEqual(self.rows("petal", "null client", "bcoin"), [
            ["petal", "4.00", "6.00", "1.00", "12.00", "4.00", "7 of 7"],
            ["null client", "2.00 (0.5x)", "3.00 (0.5x)", "0.50 (0.5x)", "6.00 (0.5x)", "3.00 (0.8x)", ""],
            ["bcoin", "10.00 (2.5x)", "18.00 (3.0x)", "2.50 (2.5x)", "30.00 (2.5x)", "5.00 (1.2x)", "6 of 7"],
        ])

    def test_name_bcoin_even_if_it_is_not_there(self):
        rows = self.rows("petal")
        self.assertEqual(rows[1], ["bcoin", "not installed (./test.sh installs it)", "", "", "", "", ""])
        self.assertEqual([len(row) for row in rows], [len(compare.COLUMNS)] * 2)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1))
    PROGRAMS = sync_bench.Programs(BUILD)
    unittest.main()
