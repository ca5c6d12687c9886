"""The fee rate of payments from unconfirmed coins, as the mempool of Bitcoin Core sees it."""

import random
import unittest

from core_node import RpcNodeTest, needs_core
from petal_process import PAYEE
from rpc_client import free_ports

PAYMENTS = 10


@needs_core
class CoreFeesTest(RpcNodeTest):
    def setUp(self):
        super().setUp()
        [self.port] = free_ports(1)
        self.core = self.start_core("-listen=1", f"-bind=127.0.0.1:{self.port}", "-peerbloomfilters=1")
        self.succeed("create", "--json")
        for _ in range(2):
            self.core.generatetoaddress(1, self.address())
        self.core.generatetodescriptor(100, "raw(51)")
        self.succeed("sync", "--connect", self.peer)

    @property
    def peer(self):
        return f"127.0.0.1:{self.port}"

    def address(self):
        return self.succeed("receive", "--new", "--json").json["address"]

    def pay(self, *arguments):
        return self.run_petal(*arguments, "--yes", "--json", "--connect", self.peer)

    def assert_package_rate(self, payment, asked):
        """The rate at which Bitcoin Core mines the payment is the asked one."""
        entry = self.core.getmempoolentry(payment["txid"])
        rates = [payment["package_fee_rate_sat_vb"] or payment["fee_rate_sat_vb"]]
        if "chunkweight" in entry:  # since version 31
            rates.append(entry["fees"]["chunk"] * 1e8 / (entry["chunkweight"] / 4))
        for rate in rates:
            self.assertAlmostEqual(rate, asked, delta=asked / 100, msg=f"{entry} {payment}")

    def test_packages_have_the_asked_rate(self):
        chosen = random.Random(54)
        unconfirmed = []
        packages = 0
        for _ in range(PAYMENTS):
            rate = chosen.choice([1, 2, 5, 9, 14, 30, 55])
            command = ["send", f"{PAYEE}=0.5", f"{self.address()}=3"]
            if unconfirmed and chosen.random() < 0.5:
                command = ["bump", *chosen.choice([[], ["--child"]]), chosen.choice(unconfirmed)]
            result = self.pay(*command, "--fee-rate", str(rate))
            if command[0] == "bump" and result.status == 1:
                expected = "fee-rate-too-low", "has-descendant", "no-own-output", "already-replaced"
                self.assertIn(result.code, expected, result.err)
                continue
            self.assertEqual(result.status, 0, result.err)
            unconfirmed.append(result.json["txid"])
            packages += result.json["package_fee_rate_sat_vb"] is not None
            self.assert_package_rate(result.json, rate)
        self.assertGreater(packages, PAYMENTS // 3)


if __name__ == "__main__":
    unittest.main()
