"""The commands for the regtest node and the demo, and syncs from them."""

import json
import signal
import socket
import unittest

from petal_process import ADDRESS, PetalTest, environment, interrupt

BITCOIN = 100_000_000


class NodeTest(PetalTest):
    def sync(self, listening, *arguments):
        return self.succeed("sync", "--json", "--connect", listening["address"], *arguments).json

    def test_says_where_it_listens_and_what_it_paid(self):
        node, listening = self.start_node("--blocks", "150", "--pay", ADDRESS, "--pay", ADDRESS)
        self.assertEqual(listening["event"], "listening")
        self.assertEqual(listening["network"], "regtest")
        self.assertEqual(listening["address"], "127.0.0.1:%d" % listening["port"])
        self.assertEqual(listening["height"], 150)
        self.assertEqual([payment["height"] for payment in listening["payments"]], [149, 150])
        self.assertEqual(listening["payments"][0]["amount_sat"], BITCOIN)
        interrupt(node, signal.SIGTERM)
        self.assertEqual(self.finish(node).status, 0)

    def test_makes_exactly_the_blocks_that_are_asked_for(self):
        payments = ["--pay", ADDRESS] * 5
        _, listening = self.start_node("--blocks", "105", *payments)
        self.assertEqual(listening["height"], 105)
        refused = self.run_petal("regtest-node", "--port", "0", "--blocks", "5", "--json", *payments)
        self.assert_fails(refused, 2, "usage")
        self.assertRegex(refused.err, "must be at least 105 for 5 payments")

    def test_pays_the_amounts_that_it_is_told(self):
        _, listening = self.start_node("--pay", ADDRESS + "=0.25", "--pay", ADDRESS + "=12345sat")
        self.assertEqual([payment["amount_sat"] for payment in listening["payments"]],
                         [BITCOIN // 4, 12345])
        self.restore()
        self.assertEqual(self.sync(listening)["balance"]["confirmed_sat"], BITCOIN // 4 + 12345)
        for amount, code in ("", "bad-amount"), ("1.000000001", "bad-amount"), ("-1", "bad-amount"), \
                ("0", "dust"), ("293sat", "dust"), ("5000", "insufficient-funds"):
            refused = self.run_petal("regtest-node", "--json", "--port", "0", "--pay",
                                     f"{ADDRESS}={amount}")
            self.assert_fails(refused, 1, code)

    def test_serves_a_wallet(self):
        _, listening = self.start_node("--pay", ADDRESS, "--pay", ADDRESS)
        self.restore()
        report = self.sync(listening)
        self.assertEqual(report["balance"]["confirmed_sat"], 2 * BITCOIN)
        self.assertEqual(report["tip"]["hash"], listening["tip"])
        history = self.succeed("history", "--json").json["transactions"]
        paid = {payment["txid"]: payment["height"] for payment in listening["payments"]}
        self.assertEqual({entry["txid"]: entry["height"] for entry in history}, paid)
        newest = self.succeed("history", "--limit", "1", "--json").json["transactions"]
        self.assertEqual([entry["height"] for entry in newest], [listening["height"]])

    def test_names_its_own_address(self):
        ready = self.start("regtest-node", "--port", "0").stdout.readline()
        self.assertRegex(ready, r"^regtest node at 127\.0\.0\.1:\d+, block 120, 0 payments, "
                                r"own address bcrt1q\w+; until interrupted")
        _, listening = self.start_node()
        self.assertIn(f"own address {listening['own_address']};", ready)

    def test_makes_the_same_chain_at_the_same_time(self):
        arguments = ["--start-time", "1700000000", "--pay", ADDRESS]
        nodes = [self.start_node(*arguments) for _ in range(2)]
        for node, listening in nodes:
            self.assertEqual(listening["tip"], nodes[0][1]["tip"])
        self.assertEqual(*(self.mine(3, node)["tip"] for node, _ in nodes))

    def test_mines_by_itself(self):
        node, listening = self.start_node("--mine-every", "0.05")
        height = listening["height"]
        while height < listening["height"] + 3:  # bounded by CTest's timeout
            height = node.rpc.getblockcount()

    def test_refuses_addresses_of_other_networks_and_taken_ports(self):
        foreign = self.run_petal("regtest-node", "--json", "--port", "0", "--pay",
                                 "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
        self.assert_fails(foreign, 1, "bad-address")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            result = self.run_petal("regtest-node", "--json", "--port", port)
        self.assert_fails(result, 1, "cannot-listen")
        self.assertIn(port, result.err)


class DemoTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.env = environment(TMPDIR=str(self.temporary), HOME=str(self.folder / "home"))

    def left_behind(self):
        return list(self.temporary.iterdir()) + list(self.folder.glob("home/**"))

    def test_shows_a_sync_and_leaves_nothing_behind(self):
        result = self.succeed("demo", "--blocks", "500", env=self.env)
        for part in "is synced to block 500", "Newest coins", "times less", "hash functions":
            self.assertIn(part, result.out)
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertEqual(self.left_behind(), [])
        self.assertFalse(self.data.exists())

    def test_prints_one_object(self):
        report = self.succeed("demo", "--blocks", "500", "--json", env=self.env).json
        self.assertEqual(report["chain"]["blocks"], 500)
        self.assertTrue(report["matches_chain"])
        self.assertEqual(report["sync"]["wallet"]["synced_height"], 500)
        confirmed = [coin for coin in report["utxos"] if coin["spendable"]]
        self.assertEqual(sum(coin["amount_sat"] for coin in confirmed),
                         report["sync"]["balance"]["confirmed_sat"])
        self.assertGreater(report["times_less"], 2)
        self.assertGreater(report["filter"]["fpr_actual"], 0)
        self.assertIsNone(report["serving"])

    def test_names_where_it_serves_the_chain(self):
        process = self.start("demo", "--blocks", "500", "--serve", "0", "--json", env=self.env)
        host, port = json.loads(process.stdout.readline())["serving"].split(":")
        with socket.create_connection((host, int(port))):
            pass
        interrupt(process)
        self.assertEqual(self.finish(process).status, 0)

    def test_leaves_nothing_behind_when_it_is_interrupted(self):
        process = self.start("demo", "--blocks", "50000", env=self.env)
        # Bounded by CTest's timeout. ThreadSanitizer has a file there before the program begins.
        while not any(entry.is_dir() for entry in self.temporary.iterdir()):
            self.assertIsNone(process.poll())
        interrupt(process)
        self.assertEqual(self.finish(process).status, 130)
        self.assertEqual(self.left_behind(), [])


if __name__ == "__main__":
    unittest.main()
