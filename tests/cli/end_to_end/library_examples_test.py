"""The programs in examples/. PETAL_EXAMPLES names the folder of their executables."""

import os
import pathlib
import re
import signal
import subprocess
import unittest

from petal_process import ADDRESS, LIMIT, PAYEE, PetalTest, environment, interrupt

PROGRAMS = pathlib.Path(os.environ.get("PETAL_EXAMPLES", "."))

# Mainnet's block 0000000000013b8ab2cd513b0261a14096412195a72a0c4827d229dcc7e0f7af, and a proof of its last transaction
# (Bitcoin Core: bloom_tests.cpp, merkle_block_1).
HEADER = (
    "0100000090f0a9f110702f808219ebea1173056042a714bad51b916cb6800000000000005275289558f51c9966699404ae2294730c3c"
    "9f9bda53523ce50e9b95e558da2fdb261b4d4c86041b1ab1bf93"
)
TREE = (
    "0900000002bc56aae9c0b9a19d49250c9bf9bf90b3c1ee3ac9096410a1eb179e1e92f90a66201f4587ec86b58297edc2dd32d6fcd998"
    "aa794308aac802a8af3be0e081d674013d"
)


def run(program, *arguments, stdin=""):
    return subprocess.run(
        [PROGRAMS / program, *arguments], input=stdin, capture_output=True, text=True,
        timeout=LIMIT, check=False, env=environment())


def rates(report):
    measured, expected = re.search(r"error rate: (\S+) measured, (\S+) by the formula", report).groups()
    return float(measured), float(expected)


class DropDuplicatesTest(unittest.TestCase):
    def test_keeps_first_occurrences_in_their_order(self):
        done = run("drop_duplicates", "100", "1e-6", stdin="b\na\nb\n\na\nc\n\n")
        self.assertEqual((done.returncode, done.stdout), (0, "b\na\n\nc\n"))
        self.assertIn("7 lines, 4 kept", done.stderr)

    def test_measures_the_rate_of_the_formula(self):
        for lines in 10_000, 50_000:
            with self.subTest(lines=lines):
                text = "".join(f"https://a.example/{i}\n" for i in range(lines))
                done = run("drop_duplicates", str(lines), "0.001", stdin=2 * text)
                kept = done.stdout.splitlines()
                self.assertLess(set(kept), set(text.splitlines()) | {""})
                self.assertEqual(len(kept), len(set(kept)))
                # There are fewer false positives than the rate, because the filter is not full yet for most lines.
                self.assertGreater(len(kept), lines * 0.999)
                measured, expected = rates(done.stderr)
                self.assertAlmostEqual(expected, 0.001, delta=0.0001)
                self.assertAlmostEqual(measured, expected, delta=0.0002)

    def test_measures_the_rate_of_the_formula_with_twice_as_many_lines_as_expected(self):
        text = "".join(f"https://a.example/{i}\n" for i in range(40_000))
        measured, expected = rates(run("drop_duplicates", "20000", "0.01", stdin=text).stderr)
        self.assertGreater(expected, 0.1)
        self.assertAlmostEqual(measured, expected, delta=0.03 * expected)

    def test_refuses_other_numbers(self):
        for wrong in (["0", "0.1"], ["10", "0"], ["10", "1"], ["10"], ["10x", "0.1"], ["10", "nan"],
                      ["10", "1e-300"], ["99999999999999", "0.1"]):
            self.assertEqual(run("drop_duplicates", *wrong).returncode, 2)

    def test_tells_of_input_that_cannot_be_read(self):
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        done = subprocess.run([PROGRAMS / "drop_duplicates", "10", "0.1"], stdin=folder, capture_output=True,
                              timeout=LIMIT, check=False, env=environment())
        self.assertEqual(done.returncode, 1)

    def test_tells_of_output_that_is_lost(self):
        for program, *arguments in ["drop_duplicates", "10", "0.1"], ["skip_lookups"]:
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAMS / program, *arguments], input="a\n", stdout=full,
                                      stderr=subprocess.DEVNULL, text=True, timeout=LIMIT, check=False,
                                      env=environment())
            self.assertEqual(done.returncode, 1)


class SortNumbersTest(unittest.TestCase):
    def test_sorts_and_finds_duplicates(self):
        done = run("sort_numbers", "1000", stdin="7\n999\n0\n7\n12\n12\n12\n12\n")
        self.assertEqual((done.returncode, done.stdout), (0, "0\n7 twice\n12 often\n999\n"))
        self.assertIn("8 numbers, 4 different, 2 several times, in 250 bytes", done.stderr)

    def test_refuses_other_lines(self):
        for line in "1000", "-1", "", "7x":
            done = run("sort_numbers", "1000", stdin=f"7\n{line}\n")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("line 2 is no number below 1000", done.stderr)
        for limit in "0", "x", "4294967297":
            self.assertEqual(run("sort_numbers", limit).returncode, 2)


class SkipLookupsTest(unittest.TestCase):
    def test_filters_save_lookups_and_lose_nothing(self):
        done = run("skip_lookups")
        self.assertEqual(done.returncode, 0)
        lookups = {}
        for name, asked, saved, found in re.findall(
                r"^(.+): (\d+) look-ups, (\d+) saved, (\d+) found$", done.stdout, re.MULTILINE):
            self.assertEqual(int(asked) + int(saved), 103_000)
            lookups[name] = int(asked), int(found)
        self.assertEqual(lookups["no filter"], (103_000, 1_000))
        by_row, found = lookups["by row"]
        self.assertEqual(found, 1_000)
        self.assertTrue(3_000 <= by_row <= 3_200, by_row)
        by_both, found = lookups["by row and column"]
        self.assertEqual(found, 1_000)
        self.assertTrue(1_000 <= by_both <= 1_200, by_both)


class RemoveElementsTest(unittest.TestCase):
    def test_only_a_false_removal_costs(self):
        done = run("remove_elements")
        self.assertEqual(done.returncode, 0)
        self.assertIn("2000 sessions inserted, 0 denied", done.stdout)
        self.assertIn("1000 of them removed, 0 of the others denied", done.stdout)
        denied = re.search(r"(\d+) of 1000 sessions are denied now", done.stdout)
        self.assertGreater(int(denied[1]), 0)


class WeighShardsTest(unittest.TestCase):
    def test_weighs_what_filters_tell(self):
        # s shards of rate f: t = 1/s + (1 - 1/s) f, and t log2(t/f) + (1-t) log2((1-t)/(1-f)) bits. An observer of a
        # tenth of all peers is one of twenty peers with probability 1 - 0.9^20 = a, and sees both ends of a spend with
        # a/s + (1 - 1/s) a^2.
        done = run("weigh_shards", "1e-5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [
            "1 filter: 16.6 bits an address, 2 addresses single out their owner, both ends of a spend seen: 0.878",
            "2 shards: 7.3 bits an address, 5 addresses single out their owner, both ends of a spend seen: 0.825",
            "4 shards: 3.34 bits an address, 10 addresses single out their owner, both ends of a spend seen: 0.798",
            "8 shards: 1.53 bits an address, 22 addresses single out their owner, both ends of a spend seen: 0.785",
            "a filter seen by an observer of a tenth of all peers: 0.878",
            "one in a million before, and 3 addresses that all match: 1",
            "BIP157, blocks from 1 peer: 9.97 bits an address",
            "BIP157, blocks from 64 peers: 0.133 bits an address",
        ])
        self.assertIn("all match: 0.00794", run("weigh_shards", "0.05").stdout)

    def test_refuses_other_rates(self):
        for wrong in [], ["0"], ["1"], ["x"]:
            self.assertEqual(run("weigh_shards", *wrong).returncode, 2)


class VerifyMerkleblockTest(unittest.TestCase):
    def test_prints_what_is_proven(self):
        done = run("verify_merkleblock", HEADER, HEADER + TREE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [
            "block 0000000000013b8ab2cd513b0261a14096412195a72a0c4827d229dcc7e0f7af of 9 transactions",
            "8 74d681e0e03bafa802c8aa084379aa98d9fcd632ddc2ed9782b586ec87451f20",
        ])

    def test_refuses_bad_proofs_with_the_reason(self):
        other_header = HEADER[:-2] + "94"
        other_root = HEADER[:72] + "53" + HEADER[74:]
        for header, proof, reason in (
            (HEADER, HEADER + TREE[:-2], "proof: "),
            (HEADER, HEADER + TREE + "00", "proof: "),
            (HEADER[:-2], HEADER + TREE, "header: "),
            (HEADER, "zz", "proof: not hexadecimal"),
            (other_header, HEADER + TREE, "the proof is of another block, 0000000000013b8a"),
            (other_root, other_root + TREE, "root"),
            (HEADER, HEADER + "00000000" + TREE[8:], "transactions"),
        ):
            with self.subTest(reason=reason):
                done = run("verify_merkleblock", header, proof)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, f"^refused: .*{reason}")


class WatchWalletTest(PetalTest):
    def watch(self, listening):
        program = subprocess.Popen(
            [PROGRAMS / "watch_wallet", "regtest", self.folder / "cold.db", listening["address"], ADDRESS],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment())
        self.addCleanup(self.end, program)
        return program

    def test_prints_payments_and_blocks_and_goes_on_after_a_restart(self):
        self.node, listening = self.start_node("--pay", ADDRESS)
        program = self.watch(listening)
        [paid] = listening["payments"]
        self.assertEqual(program.stdout.readline(),
                         f"{paid['txid']} 100000000 sat, block {paid['height']}\n")
        self.assertEqual(program.stdout.readline(), "synced to block 120, balance 100000000 sat\n")
        txid = self.pay(ADDRESS, 0.25)
        self.assertEqual(program.stdout.readline(), f"{txid} 25000000 sat, unconfirmed\n")
        self.mine()
        said = [program.stdout.readline() for _ in range(2)]
        self.assertEqual(said, [f"{txid} 25000000 sat, block 121\n",
                                "synced to block 121, balance 125000000 sat\n"])
        interrupt(program, signal.SIGTERM)
        self.assertEqual(program.wait(LIMIT), 0)

        again = self.watch(listening)
        said = sorted(again.stdout.readline() for _ in range(3))
        self.assertEqual(said[-1], "synced to block 121, balance 125000000 sat\n")
        interrupt(again, signal.SIGTERM)
        self.assertEqual(again.wait(LIMIT), 0)

        other = run("watch_wallet", "regtest", str(self.folder / "cold.db"), listening["address"], PAYEE)
        self.assertEqual(other.returncode, 1)
        self.assertRegex(other.stderr, "is a wallet of other descriptors$")

    def test_refuses_a_bad_descriptor(self):
        done = run("watch_wallet", "regtest", str(self.folder / "cold.db"), "127.0.0.1", "wpkh(")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^watch_wallet: wpkh\(: ")
        self.assertFalse((self.folder / "cold.db").exists())


class SyncAndPayTest(PetalTest):
    def test_syncs_pays_and_announces(self):
        self.restore()
        self.node, listening = self.start_node("--pay", ADDRESS)
        arguments = ["regtest", self.data, "default", listening["address"]]
        done = run("sync_and_pay", *arguments, PAYEE, "50000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\A[a-z ]+: 100000000 sat\n[0-9a-f]{64}: peers have accepted it[a-z ,]*\n\Z")
        self.assertIn(f"block {listening['height']} of {listening['height']}\n", done.stderr)
        txid = done.stdout.splitlines()[1].split(":")[0]
        [payment] = [entry for entry in self.succeed("history", "--json").json["transactions"] if entry["txid"] == txid]
        self.assertEqual(payment["recipients"], [{"address": PAYEE, "amount_sat": 50_000}])
        self.mine()
        too_much = run("sync_and_pay", *arguments, PAYEE, "900000000")
        self.assertEqual(too_much.returncode, 1)
        self.assertIn("sync_and_pay: ", too_much.stderr)


if __name__ == "__main__":
    unittest.main()
