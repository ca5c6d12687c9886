"""`petal broadcast`: transactions announced by the built command."""

import json
import signal
import struct
import subprocess
import time
import unittest

from petal_process import ADDRESS, LIMIT, PetalTest, Server, interrupt, silence
from wire import FEE, spend

BITCOIN = 100_000_000
NODE = ("--control", "--blocks", "120", "--pay", ADDRESS)  # always the same chain


class BroadcastTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.node, listening = self.start_node(*NODE)
        self.address = listening["address"]

    def own_coin(self):
        """A coin of the wallet's, which is synced."""
        self.restore()
        self.succeed("sync", "--connect", self.address)
        return self.succeed("utxos", "--json").json["utxos"][0]

    def ask(self, line, node=None):
        node = node or self.node
        node.stdin.write(line + "\n")
        node.stdin.flush()
        return json.loads(node.stdout.readline())

    @staticmethod
    def without_witness(transaction):
        """The same without the signatures of spend()."""
        raw = bytes.fromhex(transaction)
        return (raw[:4] + raw[6:-(4 + 1 + 1 + 72 + 1 + 33)] + raw[-4:]).hex()

    def mempool(self, node=None):
        return self.ask("status", node)["mempool"]

    def broadcast(self, transaction, *arguments, **options):
        return self.run_petal("broadcast", transaction, "--json", *arguments, **options)

    def test_gets_a_transaction_to_one_node_and_counts_it_once_by_whatever_name(self):
        transaction = spend(self.own_coin())
        port = self.address.rpartition(":")[2]
        result = self.broadcast(transaction, "--connect", self.address,
                                "--connect", "localhost:" + port)
        self.assertEqual(result.status, 0, result.err)
        report = result.json
        self.assertEqual((report["outcome"], report["announced_to"], report["seen_from"]),
                         ("accepted", 1, 0))
        self.assertEqual((report["fee_sat"], report["in_wallet"]), (FEE, True))
        self.assertEqual(self.mempool(), 1)
        history = self.succeed("history", "--json").json["transactions"]
        self.assertEqual((history[0]["txid"], history[0]["height"]), (report["txid"], None))

    def test_reads_files_and_standard_input(self):
        transaction = spend(self.own_coin())
        file = self.folder / "signed.hex"
        file.write_text(transaction + "\n")
        first = self.broadcast(str(file), "--connect", self.address)
        self.assertEqual((first.status, first.json["outcome"]), (0, "accepted"), first.err)
        again = self.broadcast("-", "--connect", self.address, stdin=transaction)
        self.assertEqual((again.status, again.json["outcome"]), (0, "known"), again.err)

    def test_says_in_words_that_one_node_took_it(self):
        result = self.succeed("broadcast", spend(self.own_coin()), "--connect", self.address)
        self.assertIn("was accepted by 1 peer.", result.out)
        self.assertIn("No other peer was there to announce it back", result.out)
        self.assertIn("petal sync --follow announces it again", result.out)

    def test_finds_the_peers_that_were_added(self):
        self.succeed("peers", "add", self.address)
        result = self.broadcast(spend(self.own_coin()))
        self.assertEqual((result.status, result.json["accepted_by"]), (0, 1), result.err)

    def test_says_that_it_pays_too_little(self):
        result = self.broadcast(spend(self.own_coin(), fee=1), "--connect", self.address)
        self.assert_fails(result, 1, "low-fee")
        self.assertIn("make another with a higher fee", result.err)
        self.assertEqual(self.mempool(), 0)

    def test_names_the_rule_that_bad_input_breaks(self):
        good = spend({"txid": "11" * 32, "vout": 0, "amount_sat": BITCOIN})
        rules = {
            "": "it is empty",
            "nonsense": "is neither a file nor hexadecimal",
            good + "0": "odd number of hexadecimal digits",
            good[:-2]: "the data ends too early",
            good + "00": "data is left over behind the end",
            good + good: "data is left over behind the end",
            good.replace("11" * 32 + "00" * 4, "00" * 32 + "ff" * 4): "coinbase",
            good.replace(struct.pack("<q", BITCOIN - FEE).hex(), "ff" * 7 + "7f"): "21 million",
            "02000000" + "00" * 6: "it has no inputs",
            "70736274ff0100": "partially signed",
            self.without_witness(good): "it carries no signatures",
        }
        for transaction, rule in rules.items():
            with self.subTest(rule):
                result = self.broadcast(transaction, "--connect", self.address)
                self.assert_fails(result, 1, "bad-transaction")
                self.assertIn(rule, result.err)
        empty = self.broadcast("-", "--connect", self.address, stdin="")
        self.assert_fails(empty, 1, "bad-transaction")
        self.assertEqual(self.mempool(), 0)

    def test_refuses_what_is_not_signed_for_the_wallets_coin(self):
        coin = self.own_coin()
        signature_of_another = spend({**coin, "amount_sat": coin["amount_sat"] + 1}, fee=FEE + 1)
        result = self.broadcast(signature_of_another, "--connect", self.address)
        self.assert_fails(result, 1, "bad-transaction")
        self.assertIn("input 0 spends a coin of the wallet, but is not signed for it", result.err)
        self.assertEqual(self.mempool(), 0)

    def test_refuses_what_a_block_has_spent_otherwise(self):
        coin = self.own_coin()
        self.succeed("broadcast", spend(coin), "--connect", self.address)
        self.ask("mine")
        self.succeed("sync", "--connect", self.address)
        again = self.broadcast(spend(coin, fee=2 * FEE), "--connect", self.address)
        self.assert_fails(again, 1, "already-spent")

    def test_abandon_gives_the_coin_back_until_a_block_has_the_transaction(self):
        coin = self.own_coin()
        txid = self.succeed("broadcast", spend(coin), "--json", "--connect", self.address).json["txid"]
        before = self.succeed("balance", "--json").json
        self.assertEqual((before["confirmed_sat"], before["unconfirmed_spent_sat"]),
                         (0, coin["amount_sat"]))
        text = self.succeed("balance").out
        self.assertIn("spend 1.00000000 BTC of confirmed coins", text)
        self.assertIn("petal abandon TXID", text)

        self.assertEqual(self.succeed("abandon", txid, "--json").json,
                         {"txid": txid, "abandoned": [txid]})
        after = self.succeed("balance", "--json").json
        self.assertEqual((after["confirmed_sat"], after["unconfirmed_spent_sat"]),
                         (coin["amount_sat"], 0))
        self.assertNotIn("abandon", self.succeed("balance").out)
        self.assertEqual(len(self.succeed("history", "--json").json["transactions"]), 1)
        self.assert_fails(self.run_petal("abandon", txid, "--json"), 1, "unknown-transaction")
        self.assert_fails(self.run_petal("abandon", coin["txid"], "--json"), 1,
                          "already-confirmed")
        self.assert_fails(self.run_petal("abandon", txid[1:], "--json"), 2, "usage")
        self.assert_fails(self.run_petal("abandon", "--json"), 2, "usage")

        forgetful, listening = self.start_node(*NODE)
        self.succeed("sync", "--wait-unconfirmed", "1", "--connect", listening["address"])
        self.assertEqual(self.mempool(forgetful), 0)
        self.ask("mine")
        self.succeed("sync", "--connect", self.address)
        self.assertEqual(self.succeed("balance", "--json").json["confirmed_sat"], 0)

    def test_abandon_says_what_it_has_forgotten(self):
        txid = self.succeed("broadcast", spend(self.own_coin()), "--json",
                            "--connect", self.address).json["txid"]
        out = self.succeed("abandon", txid).out
        self.assertIn(f"Transaction {txid} is abandoned.", out)
        self.assertIn("block confirms it, it is back", out)
        self.assertIn("1.00000000 BTC", out)

    def test_is_used_with_one_transaction_and_known_options(self):
        for arguments in ([], ["00", "00"], ["00", "--follow"], ["00", "--timeout", "-1"],
                          ["00", "--connect", "node:99999"], ["00", "--onion-only"]):
            with self.subTest(arguments):
                self.assert_fails(self.run_petal("broadcast", "--json", *arguments), 2, "usage")

    def test_a_peer_that_says_nothing_holds_it_no_longer_than_it_may(self):
        server = Server(silence)
        self.addCleanup(server.close)
        start = time.monotonic()
        result = self.broadcast(spend(self.own_coin()), "--connect", server.address,
                                "--timeout", "1")
        self.assert_fails(result, 3, "timed-out")
        self.assertLess(time.monotonic() - start, 10)
        self.assertIn(server.address, result.err)

    def test_standard_input_holds_it_no_longer_than_it_may(self):
        transaction = spend(self.own_coin())
        start = time.monotonic()
        process = self.start("broadcast", "-", "--json", "--connect", self.address,
                             "--timeout", "1", stdin=subprocess.PIPE)
        process.stdin.write(transaction)  # all of it, but who knows?
        process.stdin.flush()
        process.wait(LIMIT)
        self.assertLess(time.monotonic() - start, 10)
        result = self.finish(process)
        self.assert_fails(result, 3, "timed-out")
        self.assertIn("standard input", result.err)
        self.assertEqual(self.mempool(), 0)

    def test_ends_with_a_signal(self):
        server = Server(silence)
        self.addCleanup(server.close)
        process = self.start("broadcast", spend(self.own_coin()), "--json",
                             "--connect", server.address)
        self.assertTrue(server.connected.wait(LIMIT))
        interrupt(process, signal.SIGTERM)
        result = self.finish(process)
        self.assert_fails(result, 130, "interrupted")
        self.assertIn("announced to no peer", result.err)

    def test_goes_to_nobody_round_a_proxy_that_is_not_there(self):
        result = self.broadcast(spend(self.own_coin()), "--connect", self.address,
                                "--proxy", "127.0.0.1:1")
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertEqual(self.mempool(), 0)

    def test_a_follower_announces_it_again(self):
        self.succeed("broadcast", spend(self.own_coin()), "--connect", self.address)
        forgetful, listening = self.start_node(*NODE)
        self.start("sync", "--follow", "--connect", listening["address"])
        end = time.monotonic() + LIMIT
        while self.mempool(forgetful) == 0:
            self.assertLess(time.monotonic(), end, "it was not announced")
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
