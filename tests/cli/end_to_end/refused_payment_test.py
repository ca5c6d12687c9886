"""A payment that no node takes: what spends its change would be lost with it."""

import unittest

from petal_process import ADDRESS, PAYEE, PetalTest

NODE = ("--blocks", "121", "--pay", ADDRESS)


class RefusedPaymentTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.node, listening = self.start_node(*NODE)
        self.connect = ("--connect", listening["address"])
        self.restore()
        self.succeed("sync", *self.connect)

    def send(self, *arguments):
        return self.run_petal("send", *arguments, "--yes", "--json", *self.connect)

    def sync(self, *arguments):
        self.succeed("sync", "--wait-unconfirmed", "3", *self.connect, *arguments)

    # BIP125 rule 3: the replacement pays less than what it would evict.
    def test_change_of_a_refused_replacement_is_not_spent(self):
        self.succeed("create", "--wallet", "payee")
        address = self.succeed("receive", "--wallet", "payee", "--json").json["address"]
        first = self.send(address, "0.1", "--fee-rate", "2").json["txid"]
        self.sync("--wallet", "payee")
        self.succeed("bump", "--wallet", "payee", "--child", first, "--fee-rate", "300", "--yes", *self.connect)

        refused = self.run_petal("bump", first, "--fee-rate", "10", "--yes", "--json", "--timeout", "5",
                                 *self.connect)
        self.assert_fails(refused, 3, "timed-out")
        replacement = self.succeed("history", "--json").json["transactions"][0]["txid"]
        for _ in range(2):
            result = self.send(PAYEE, "0.2")
            self.assert_fails(result, 1, "payment-not-shown")
            self.assertEqual(result.json["unshown_payments"], [replacement])
            self.assertGreater(result.json["unshown_sat"], 0)
            message = result.json["error"]["message"]
            self.assertIn(f"it replaces {first}", message)
            self.assertIn(f"abandon {replacement}", message)
            self.sync()  # the node does not show the replacement
        coin = next(each for each in self.succeed("utxos", "--json").json["utxos"] if each["txid"] == replacement)
        named = self.send(PAYEE, "0.2", "--utxo", f"{replacement}:{coin['vout']}")
        self.assert_fails(named, 1, "not-spendable")

        self.succeed("abandon", replacement)
        result = self.send(PAYEE, "0.2")
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json["inputs"][0]["txid"], first)

    def test_change_is_spent_once_a_sync_has_seen_the_payment(self):
        sent = self.run_petal("send", PAYEE, "0.1", "--yes", "--json", "--connect", "127.0.0.1:1", "--timeout", "1")
        self.assertEqual(sent.status, 3, sent.err)
        payment = self.succeed("history", "--json").json["transactions"][0]["txid"]
        result = self.send(PAYEE, "0.2")
        self.assert_fails(result, 1, "payment-not-shown")
        self.assertEqual(result.json["unshown_payments"], [payment])
        signed = self.succeed("tx", payment, "--json").json["hex"]
        self.node.rpc.sendrawtransaction(signed)
        self.sync()
        again = self.send(PAYEE, "0.2")
        self.assertEqual((again.status, again.json["inputs"][0]["txid"]), (0, payment), again.err)
        onward = self.send(PAYEE, "0.3")
        self.assertEqual((onward.status, onward.json["inputs"][0]["txid"]), (0, again.json["txid"]), onward.err)

    def test_broadcast_of_an_own_payment_shows_it(self):
        signed = self.succeed("send", PAYEE, "0.1", "--yes", "--no-broadcast").out.strip()
        txid = self.succeed("broadcast", signed, "--json", *self.connect).json["txid"]
        result = self.send(PAYEE, "0.2")
        self.assertEqual((result.status, result.json["inputs"][0]["txid"]), (0, txid), result.err)


if __name__ == "__main__":
    unittest.main()
