"""The documented session of a multisig wallet: two petals sign, or one petal and Bitcoin Core."""

import re
import unittest

from core_node import RpcNodeTest, needs_core
from petal_process import PAYEE, PetalTest
from rpc_client import free_ports

PATH = "m/48h/1h/0h/2h"
COIN = 100_000_000
AMOUNT = 30_000_000


class Owners:
    """For a PetalTest: wallets with words of their own, and one that watches what they share."""

    def make_owners(self, *names):
        for name in names:
            self.succeed("--wallet", name, "create", "--json")
        return [self.key_of(name) for name in names]

    def key_of(self, name):
        return self.succeed("--wallet", name, "info", "--key-origin", PATH).out.strip()

    def watch(self, keys):
        below = ",".join(key + "/<0;1>/*" for key in keys)
        self.succeed("--wallet", "joint", "watch", f"wsh(sortedmulti(2,{below}))")
        return self.succeed("--wallet", "joint", "receive", "--json").json["address"]

    def psbt(self, *arguments, wallet="joint", **options):
        return self.succeed("--wallet", wallet, "psbt", *arguments, **options)

    def broadcast(self, psbts, peer):
        files = []
        for number, psbt in enumerate(psbts):
            files.append(self.folder / f"{number}.psbt")
            files[-1].write_text(psbt)
        combined = self.psbt("combine", *map(str, files)).out
        finished = self.psbt("finalize", "-", stdin=combined).out
        transaction = self.psbt("extract", "-", stdin=finished).out
        return self.succeed("--wallet", "joint", "broadcast", "-", "--connect", peer, "--json",
                            stdin=transaction).json["txid"]


class MultisigTest(Owners, PetalTest):
    def setUp(self):
        super().setUp()
        keys = self.make_owners("alice", "bob", "carol")
        joint = self.watch(keys)
        self.node, listening = self.start_node("--blocks", "121", "--pay", joint)
        self.peer = listening["address"]
        self.succeed("--wallet", "joint", "sync", "--connect", self.peer)
        self.created = self.psbt("create", PAYEE, "0.3").out

    def test_two_of_three_petals_pay(self):
        fee = self.psbt("analyze", "-", "--json", stdin=self.created).json["fee_sat"]
        signed = []
        for owner in "alice", "carol":
            result = self.psbt("sign", "-", "--yes", "--json", wallet=owner, stdin=self.created)
            self.assertEqual(result.json["signed_inputs"], [0])
            self.assertEqual(result.json["net_sat"], -AMOUNT - fee, "the change comes back")
            self.assertFalse(result.json["complete"])
            signed.append(result.json["psbt"])
        self.broadcast(signed, self.peer)
        self.mine()
        self.succeed("--wallet", "joint", "sync", "--connect", self.peer)
        balance = self.succeed("--wallet", "joint", "balance", "--json").json
        self.assertEqual(balance["confirmed_sat"], COIN - AMOUNT - fee)

    def test_strangers_and_watchers_sign_nothing(self):
        self.make_owners("stranger")
        result = self.run_petal("--wallet", "stranger", "psbt", "sign", "-", "--yes", "--json",
                                stdin=self.created)
        self.assert_fails(result, 1, "nothing-to-sign")
        result = self.run_petal("--wallet", "joint", "psbt", "sign", "-", "--yes", "--json",
                                stdin=self.created)
        self.assert_fails(result, 4, "watch-only")

    def test_key_origin_is_of_words_and_of_a_path(self):
        for path in "48h/1h", "m/", "m/x":
            result = self.run_petal("--wallet", "alice", "info", "--key-origin", path, "--json")
            self.assert_fails(result, 2, "usage")
        result = self.run_petal("--wallet", "joint", "info", "--key-origin", PATH, "--json")
        self.assert_fails(result, 4, "watch-only")


@needs_core
class MultisigWithCoreTest(Owners, RpcNodeTest):
    def core_keys(self):
        """Core's private key expression, and the same key for others."""
        [own] = [entry["desc"] for entry in self.core.listdescriptors(True)["descriptors"]
                 if entry["desc"].startswith("wpkh(") and not entry["internal"]]
        master = re.search(r"tprv\w+", own)[0]
        private = master + PATH[1:]
        self.import_into_core(f"wpkh({private}/0/*)")
        public = [entry["desc"] for entry in self.core.listdescriptors()["descriptors"]]
        [text] = [text for text in public if PATH[2:] in text]
        return private, re.search(r"\[.+\]tpub\w+", text)[0]

    def import_into_core(self, descriptor):
        checksum = self.core.getdescriptorinfo(descriptor)["checksum"]
        request = {"desc": f"{descriptor}#{checksum}", "range": [0, 20], "timestamp": "now"}
        [result] = self.core.importdescriptors([request])
        self.assertTrue(result["success"], result)

    def test_petal_and_core_pay(self):
        [port] = free_ports(1)
        self.core = self.start_core("-listen=1", f"-bind=127.0.0.1:{port}", "-peerbloomfilters=1")
        peer = f"127.0.0.1:{port}"
        self.core.createwallet("core")
        private, public = self.core_keys()
        alice, carol = self.make_owners("alice", "carol")
        joint = self.watch([alice, public, carol])
        for chain in 0, 1:
            keys = ",".join(f"{key}/{chain}/*" for key in (alice, private, carol))
            self.import_into_core(f"wsh(sortedmulti(2,{keys}))")
        self.core.generatetoaddress(1, joint)
        self.core.generatetodescriptor(100, "raw(51)")
        self.succeed("--wallet", "joint", "sync", "--connect", peer)
        created = self.psbt("create", PAYEE, "0.3").out
        by_petal = self.psbt("sign", "-", "--yes", wallet="alice", stdin=created).out
        by_core = self.core.walletprocesspsbt(created.strip())
        self.assertFalse(by_core["complete"])
        txid = self.broadcast([by_petal, by_core["psbt"]], peer)
        self.assertIn(txid, self.core.getrawmempool())


if __name__ == "__main__":
    unittest.main()
