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

    def test_null_client_gets_every_compact_filter_and_the_blocks_that_match(self):
        with sync_bench.nodes(PROGRAMS, blocks=BLOCKS, transactions=3, payments=4) as truth:
            self.assertEqual(len(truth["heights"]), 4)
            _, got = sync_bench.measure(PROGRAMS, PROGRAMS.null_client, truth["endpoints"][0],
                                        "--compact-filters", *map(str, truth["heights"]))
        self.assertEqual((got["compact_filters"], got["blocks"]), (BLOCKS, 4))

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
        ways = ("Bloom filter", "compact filters", "full blocks")
        self.assertEqual([(row[0], row[-1]) for row in rows[1:]],
                         [*((f"| petal, {way}", "5 of 5 |") for way in ways),
                          *((f"| null client, {way}", " |") for way in ways),
                          ("| other", "3 of 5 |"), ("| bcoin", " |")])


def measured(*seconds):
    """One measurement for each duration, with a quarter of it as CPU time, and 3 MiB for each second."""
    return [{"wall_s": one, "user_s": one / 8, "system_s": one / 8, "peak_kib": 3 * one * 1024} for one in seconds]


class ComparisonRows(unittest.TestCase):
    DIRECT = {"petal, Bloom filter": measured(2, 8, 4), "petal, compact filters": measured(1, 2, 3),
              "null client, compact filters": measured(1, 1, 1), "bcoin": measured(20, 6, 10),
              "kyoto": measured(5, 4, 3)}
    DELAYED = {"petal, Bloom filter": measured(5, 6, 7), "petal, compact filters": measured(3, 3, 3),
               "null client, compact filters": measured(3, 3, 3), "bcoin": measured(90, 9, 18),
               "kyoto": measured(60, 60, 60)}
    SIZES = {"petal, Bloom filter": 4_000_000, "petal, compact filters": 5_000_000,
             "null client, compact filters": 5_000_000, "bcoin": 5_000_000, "kyoto": 7_500_000}
    FOUND = {"petal, Bloom filter": 7, "petal, compact filters": 7, "null client, compact filters": None, "bcoin": 6,
             "kyoto": 7}

    def rows(self, *clients):
        return list(compare.rows(clients, self.DIRECT, self.DELAYED, self.SIZES, self.FOUND, 7))

    def test_give_medians_and_multiples_of_the_same_way(self):
        self.assertEqual(self.rows(*self.DIRECT), [
            ["petal, Bloom filter", "4.00", "6.00", "1.00", "12.00", "4.00", "7 of 7"],
            ["petal, compact filters", "2.00", "3.00", "0.50", "6.00", "5.00", "7 of 7"],
            ["null client, compact filters",
             "1.00 (0.50x)", "3.00 (1.00x)", "0.25 (0.50x)", "3.00 (0.50x)", "5.00 (1.00x)", ""],
            ["bcoin", "10.00 (2.50x)", "18.00 (3.00x)", "2.50 (2.50x)", "30.00 (2.50x)", "5.00 (1.25x)", "6 of 7"],
            ["kyoto", "4.00 (2.00x)", "60.00 (20.00x)", "1.00 (2.00x)", "12.00 (2.00x)", "7.50 (1.50x)", "7 of 7"],
        ])

    def test_name_bcoin_even_if_it_is_not_there(self):
        rows = self.rows("petal, Bloom filter")
        self.assertEqual(rows[1], ["bcoin", "not installed (./test.sh installs it)", "", "", "", "", ""])
        self.assertEqual([len(row) for row in rows], [len(compare.COLUMNS)] * 2)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1))
    PROGRAMS = sync_bench.Programs(BUILD)
    unittest.main()
