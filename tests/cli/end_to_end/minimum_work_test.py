"""Peers that lie about the chain: too little work, too low an end, or less work than the stored chain.

The syncs that show nothing last until their timeout; tests/net/sync/low_work_test.cpp has more cases."""

import os
import pathlib
import unittest

from petal_process import PetalTest
from wire import MAINNET, SIGNET, SIGNET_GENESIS, SIGNET_HEADERS, headers_node, sha256d

# Fabricated: three blocks on the public signet's genesis block. The first one pays 21 BTC from a coin that does not
# exist to the key of petal_process.ADDRESS. Their proof of work is real and took seconds.
PAYMENT = bytes.fromhex(
    "020000000177777777777777777777777777777777777777777777777777777777777777770000000000ffffffff01"
    "00752b7d00000000160014d0c4a3ef09e997b6e99e397e518fe3e41a118ca100000000")
LIE = [bytes.fromhex(header) for header in (
    "00000020f61eee3b63a380a477a063af32b2bbc97c9ff9f01f2c4225e973988108000000055514c9f19894d555fb"
    "0941cc535f077d56858ad0122d4b5e7dfdc29c38e5a258914d5fae77031e7ac03100",
    "00000020d3f9ce3c7287f7073043e835a7bd7890d1cadb966ecd1e3c4693729c11000000159d3e459c8d64830255"
    "829110005571f0f5b558752b12146e42dace60632e74b0934d5fae77031e77de7b00",
    "000000200c58173e85424a9137777b37d05272fcbd3988d7c279919b64e0acc76a020000c493ddf857eb9ae62ee1"
    "e16a8f133d339b4ebc84b519d55a6d71c4e9ca03d61208964d5fae77031e5a220500")]
SIGNET_OPTIONS = ["--network", "signet"]

MAINNET_OPTIONS = ["--network", "mainnet"]


def recorded_headers():
    """Mainnet's headers from the genesis block on; empty if there is no recorded file."""
    folder = os.environ.get("PETAL_TEST_DATA")
    path = pathlib.Path(folder or "/nowhere") / "chains" / "mainnet_headers_0_10236.bin"
    data = path.read_bytes() if path.exists() else b""
    return [data[at:at + 80] for at in range(0, len(data), 80)]


class LiarTest(PetalTest):
    def serve(self, *arguments, **more):
        return self.start_server(headers_node(*arguments, **more)).address

    def serve_lie(self):
        return self.serve(SIGNET, SIGNET_GENESIS, LIE, transactions={LIE[0]: PAYMENT})

    def header_file(self, network):
        return self.data / network / "headers.dat"


class LowWorkTest(LiarTest):
    def test_of_three_blocks_shows_no_payment(self):
        # Why a sync does not move is said after five seconds.
        self.restore(*SIGNET_OPTIONS)
        result = self.run_petal("sync", "--connect", self.serve_lie(), "--timeout", "6", "--json",
                                *SIGNET_OPTIONS)
        self.assert_fails(result, 3, "timed-out")
        self.assertIn("waiting for a peer whose chain has enough work", result.err)
        balance = self.succeed("balance", "--json", *SIGNET_OPTIONS).json
        self.assertEqual((balance["total_sat"], balance["height"]), (0, None))
        history = self.succeed("history", "--json", *SIGNET_OPTIONS).json
        self.assertEqual(history["transactions"], [])

    def test_is_reported_with_all_amounts_that_the_user_allowed(self):
        self.restore(*SIGNET_OPTIONS)
        node = self.serve_lie()
        report = self.succeed("sync", "--connect", node, "--minimum-chainwork", "0", "--json",
                              *SIGNET_OPTIONS)
        self.assertEqual(report.json["balance"]["confirmed_sat"], 2_100_000_000)
        self.assertIs(report.json["minimum_work"], False)
        self.assertIn("by --minimum-chainwork, this chain counts", report.err)
        txid = sha256d(PAYMENT)[::-1].hex()
        # The amount has arrived, so `wait` asks no peer, and needs the same option as `sync`.
        wait = f"wait --tx {txid} --connect {node} --minimum-chainwork 0"
        self.assert_unproven("balance", "utxos", "history", "addresses", "info", f"tx {txid}", wait)
        paid = "tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl"
        for payment in ("send", paid, "0.1", "--dry-run"), ("psbt", "create", paid, "0.1"):
            offer = self.succeed(*payment, "--json", *SIGNET_OPTIONS)
            self.assertIs(offer.json["minimum_work"], False, payment)
            self.assertIn("a peer may have made up the wallet's coins", offer.err)
        # Neither losing the headers nor a sync that refuses the chain changes this.
        refused = self.run_petal("sync", "--connect", node, "--timeout", "1", "--json",
                                 *SIGNET_OPTIONS)
        self.assert_fails(refused, 3, "timed-out")
        self.assert_unproven("balance")
        content = self.header_file("signet").read_bytes()
        self.header_file("signet").unlink()
        self.assert_unproven("balance")
        self.assertFalse(self.header_file("signet").exists(), "looking makes none")
        self.header_file("signet").write_bytes(b"garbage" + content)
        self.assert_unproven("balance")

    def assert_unproven(self, *commands):
        for command in commands:
            shown = self.succeed(*command.split(), "--json", *SIGNET_OPTIONS).json
            self.assertIs(shown["minimum_work"], False, command)
            text = self.succeed(*command.split(), *SIGNET_OPTIONS).out
            self.assertIn("Not proven: the stored headers do not show the minimum work of signet",
                          text, command)

    def test_is_reported_in_each_event(self):
        self.restore(*SIGNET_OPTIONS)
        follower = self.start("sync", "--follow", "--connect", self.serve_lie(), "--json",
                              "--minimum-chainwork", "0", *SIGNET_OPTIONS)
        events = self.events_until(follower, lambda events: events[-1]["event"] == "synced")
        self.assertIn("transaction", [event["event"] for event in events])
        self.assertEqual({event["minimum_work"] for event in events}, {False})

    def test_is_reported_in_each_line(self):
        self.restore(*SIGNET_OPTIONS)
        follower = self.start("sync", "--follow", "--connect", self.serve_lie(),
                              "--minimum-chainwork", "0", *SIGNET_OPTIONS)
        for line in self.lines_until(follower, lambda line: "synced to block" in line):
            self.assertIn("(less than the minimum work)", line)

    def test_does_not_apply_to_regtest(self):
        _, listening = self.start_node("--blocks", "110")
        self.restore()
        result = self.succeed("sync", "--connect", listening["address"], "--json")
        self.assertIs(result.json["minimum_work"], True)
        self.assertEqual(result.err, "")
        self.header_file("regtest").unlink()
        self.assertIs(self.succeed("balance", "--json").json["minimum_work"], True)
        self.assertNotIn("Not proven", self.succeed("balance").out)


class OptionTest(LiarTest):
    def sync(self, *options):
        return self.run_petal("sync", "--connect", self.node, "--json", *options, *SIGNET_OPTIONS)

    def setUp(self):
        super().setUp()
        self.restore(*SIGNET_OPTIONS)
        self.node = self.serve(SIGNET, SIGNET_GENESIS, SIGNET_HEADERS)

    def test_is_read_as_bitcoin_core_reads_it(self):
        for wrong in "", "0x", "x1", "1g", "-1", "0" * 65, " 1":
            self.assert_fails(self.sync("--minimum-chainwork=" + wrong), 2, "usage")
        for right in "0x7FFFFFFF", "f" * 64:
            result = self.run_petal("sync", "--connect", "127.0.0.1:1", "--json",
                                    "--minimum-chainwork", right, *SIGNET_OPTIONS)
            self.assert_fails(result, 3, "no-usable-peer")
        # The work of signet's genesis block and three more blocks is 0x1275050.
        self.assertEqual(self.sync("--minimum-chainwork", "1275051", "--timeout", "1").status, 3)
        self.assertEqual(self.sync("--minimum-chainwork", "0x1275050").status, 0)

    def test_is_read_from_the_config_file(self):
        config = self.data / "petal.toml"
        config.write_text("minimum-chainwork = 0x1275051\n")
        self.assertEqual(self.sync("--timeout", "1").status, 3)
        config.write_text("[sync]\nminimum_chainwork = 0\n")
        self.assertEqual(self.sync().status, 0)

    def test_warns_once_that_signet_is_cheap(self):
        result = self.sync("--minimum-chainwork", "0")
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.err.count("blocks cost next to nothing"), 1)
        self.assertIn("BIP37 does not show their signatures", result.err)
        self.assertNotIn("signatures", self.sync("--minimum-chainwork", "0", "--quiet").err)


class ShortChainTest(LiarTest):
    """The wallet is new, so its headers start at an anchor, which the peer does not have."""

    def test_is_no_reason_to_start_below_the_anchor(self):
        self.succeed("create", *SIGNET_OPTIONS)
        node = self.serve(SIGNET, SIGNET_GENESIS, SIGNET_HEADERS, 10_000_000)
        result = self.run_petal("sync", "--connect", node, "--timeout", "2", "--json",
                                "--minimum-chainwork", "0", *SIGNET_OPTIONS)
        self.assertEqual(result.status, 3, result.err)
        status = self.succeed("headers", "status", "--json", *SIGNET_OPTIONS).json
        self.assertGreater(status["start"]["height"], 100_000)
        self.assertEqual(status["headers"], 1)
        self.assertEqual([file.name for file in self.header_file("signet").parent.glob("*.dat*")],
                         ["headers.dat"])
        self.assertIsNone(self.succeed("info", "--json", *SIGNET_OPTIONS).json["synced_height"])

    def test_is_not_followed_from_genesis_while_more_work_is_stored(self):
        self.succeed("create", *SIGNET_OPTIONS)
        node = self.serve(SIGNET, SIGNET_GENESIS, SIGNET_HEADERS)
        sync = ["sync", "--connect", node, "--json", "--from-genesis",
                "--minimum-chainwork", "0", *SIGNET_OPTIONS]
        self.assertEqual(self.succeed(*sync).json["tip"]["height"], 3)
        # An anchor is stored, which stands for all work below it.
        self.header_file("signet").unlink()
        self.run_petal("sync", "--connect", node, "--timeout", "1", "--json", *SIGNET_OPTIONS)
        before = self.header_file("signet").read_bytes()
        result = self.run_petal(*sync, "--timeout", "2")
        self.assert_fails(result, 3, "timed-out")
        self.assertEqual(self.header_file("signet").read_bytes(), before)


@unittest.skipUnless(recorded_headers(), "PETAL_TEST_DATA has no recorded headers")
class LessThanStoredTest(LiarTest):
    """Mainnet's real headers. The higher ones are stored, starting at an anchor."""

    ANCHOR = 8064
    TAKE_ANY = ["--minimum-chainwork", "0", "--json", *MAINNET_OPTIONS]

    def setUp(self):
        super().setUp()
        self.headers = recorded_headers()
        self.restore("--birthday", "9000", *MAINNET_OPTIONS)
        self.honest = self.serve(MAINNET, self.headers[0], self.headers[1:])
        self.half = self.serve(MAINNET, self.headers[0], self.headers[1:5001])
        self.tip = self.succeed("sync", "--connect", self.honest, *self.TAKE_ANY).json["tip"]
        self.assertEqual(self.tip["hash"], sha256d(self.headers[-1])[::-1].hex())
        self.assertEqual(self.status()["start"]["height"], self.ANCHOR)

    def status(self):
        return self.succeed("headers", "status", "--json", *MAINNET_OPTIONS).json

    def assert_unmoved(self):
        self.assertEqual(self.status()["tip"]["hash"], self.tip["hash"])
        self.assertEqual(self.status()["start"]["height"], self.ANCHOR)
        info = self.succeed("info", "--json", *MAINNET_OPTIONS).json
        self.assertEqual(info["tip"]["hash"], self.tip["hash"])

    def test_is_harmless_beside_an_honest_peer(self):
        report = self.succeed("sync", "--connect", self.half, "--connect", self.honest,
                              "--from-genesis", *self.TAKE_ANY).json
        self.assertEqual(report["tip"], self.tip)
        self.assertEqual(self.status()["start"]["height"], 0)
        self.assertEqual(self.status()["tip"]["hash"], self.tip["hash"])
        self.assertFalse((self.data / "mainnet" / "headers.dat.lower").exists())

    def test_of_a_file_is_not_imported(self):
        file = self.folder / "half"
        file.write_bytes(b"".join(self.headers[:5001]))
        result = self.run_petal("headers", "import", str(file), "--json", *MAINNET_OPTIONS)
        self.assert_fails(result, 1, "less-work")
        self.assert_unmoved()
        file.write_bytes(b"".join(self.headers))
        self.succeed("headers", "import", str(file), *MAINNET_OPTIONS)
        self.assertEqual(self.status()["start"]["height"], 0)
        self.assertEqual(self.status()["tip"]["hash"], self.tip["hash"])


if __name__ == "__main__":
    unittest.main()
