"""`petal psbt`: a watch-only wallet pays, with the built commands in a pipe, as users run them."""

import base64

from petal_process import ADDRESS, PAYEE, PetalTest

COIN = 100_000_000
AMOUNT = 30_000_000


class PsbtTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.node, listening = self.start_node("--blocks", "121", "--pay", ADDRESS)
        self.address = listening["address"]
        self.restore("--type", "wpkh")
        info = self.succeed("info", "--json").json
        self.succeed("--wallet", "cold", "watch", *info["descriptors"])
        self.sync()

    def sync(self):
        for wallet in "default", "cold":
            self.succeed("--wallet", wallet, "sync", "--connect", self.address)

    def psbt(self, *arguments, wallet="cold", stdin=""):
        return self.run_petal("--wallet", wallet, "psbt", *arguments, stdin=stdin)

    def output(self, *arguments, **options):
        result = self.psbt(*arguments, **options)
        self.assertEqual(result.status, 0, result.err)
        return result.out

    def create(self):
        return self.output("create", PAYEE, "0.3")

    def test_is_created_watch_only_signed_hot_announced_and_mined(self):
        created = self.create()
        fee = self.psbt("analyze", "-", "--json", stdin=created).json["fee_sat"]
        signed = self.output("sign", "-", "--yes", wallet="default", stdin=created)
        finished = self.output("finalize", "-", stdin=signed)
        transaction = self.output("extract", "-", stdin=finished)
        self.succeed("--wallet", "cold", "broadcast", "-", "--connect", self.address,
                     stdin=transaction)
        self.mine()
        self.sync()
        for wallet in "default", "cold":
            balance = self.succeed("--wallet", wallet, "balance", "--json").json
            self.assertEqual(balance["confirmed_sat"], COIN - AMOUNT - fee)

    def test_reads_binary_files_and_base64_alike(self):
        created = self.create()
        file = self.folder / "payment.psbt"
        file.write_bytes(base64.b64decode(created))
        self.assertEqual(self.output("decode", str(file)), self.output("decode", "-", stdin=created))
        self.assertEqual(self.output("combine", str(file), "-", stdin=created), created)

    def test_refuses_every_cut(self):
        whole = base64.b64decode(self.create())
        file = self.folder / "cut.psbt"
        for size in range(0, len(whole), 25):
            file.write_bytes(whole[:size])
            self.assert_fails(self.psbt("sign", str(file), "--yes", "--json", wallet="default"),
                              1, "bad-psbt")

    def test_signs_nothing_unless_it_may(self):
        created = self.create()
        self.assert_fails(self.psbt("sign", "-", "--yes", "--json", stdin=created), 4, "watch-only")
        self.assert_fails(self.psbt("sign", "-", "--json", wallet="default", stdin=created),
                          2, "usage")
        send = self.run_petal("--wallet", "cold", "send", PAYEE, "0.3", "--yes", "--json")
        self.assert_fails(send, 4, "watch-only")
        self.assertIn(" psbt create`", send.err)
        self.assert_fails(self.psbt("extract", "-", "--json", stdin=created), 1, "not-final")

    def test_signs_with_a_type_that_was_asked_for(self):
        created = self.create()
        signed = self.output("sign", "-", "--yes", "--sighash", "ALL|ANYONECANPAY",
                             wallet="default", stdin=created)
        decoded = self.psbt("decode", "-", "--json", stdin=signed).json
        self.assertEqual(decoded["inputs"][0]["sighash"], "ALL|ANYONECANPAY")
        self.assertTrue(decoded["inputs"][0]["partial_signatures"][0]["signature"].endswith("81"))
        self.assert_fails(self.psbt("sign", "-", "--yes", "--json", wallet="default", stdin=signed),
                          1, "sighash-not-asked")
