"""A wallet restored from descriptors with private keys that Bitcoin Core exports."""

import unittest

from core_node import RpcNodeTest, needs_core
from petal_process import PAYEE, START_TIME


class DescriptorsTest(RpcNodeTest):
    def restore_from(self, descriptors, *more):
        file = self.folder / "descriptors"
        file.write_text("# exported\n" + "\n".join(descriptors) + "\n")
        return self.succeed("restore", "--descriptor-file", str(file), "--json", *more).json

    def spend_from(self, addresses):
        """Pays each address, and has the wallet spend everything, less the fee."""
        pays = [word for address in addresses for word in ("--pay", address + "=1")]
        _, listening = self.start_node("--rpc", "0", "--start-time", START_TIME,
                                       "--blocks", str(100 + len(addresses)), *pays)
        node = self.client(listening)
        connect = ["--connect", listening["address"]]
        self.succeed("sync", *connect)
        balance = self.succeed("balance", "--json").json["confirmed_sat"]
        self.assertEqual(balance, len(addresses) * 100_000_000)
        sent = self.succeed("send", PAYEE, "all", "--fee-rate", "2", "--yes", "--json",
                            *connect).json
        self.assertEqual(len(sent["inputs"]), len(addresses))
        [mined] = node.generatetoaddress(1, PAYEE)
        self.assertIn(sent["txid"], node.getblock(mined)["tx"])
        self.succeed("sync", *connect)
        self.assertEqual(self.succeed("balance", "--json").json["total_sat"], 0)

    def test_single_keys_are_spent_from(self):
        wif = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW"
        self.restore_from([f"combo({wif})"])
        addresses = [entry["address"]
                     for entry in self.succeed("addresses", "--json").json["addresses"]]
        self.assertEqual(len(addresses), 2)
        self.spend_from(addresses)

    @needs_core
    def test_wallet_of_bitcoin_core_is_spent_from(self):
        core = self.start_core()
        core.createwallet("exported")
        exported = core.listdescriptors(True)["descriptors"]
        texts = [one["desc"] for one in exported if one["active"]]
        self.assertEqual(len(texts), 8)
        restored = self.restore_from(texts)
        public = [one["desc"] for one in core.listdescriptors()["descriptors"]]
        self.assertEqual(sorted(restored["descriptors"]), sorted(public))
        self.assertFalse(restored["watch_only"])
        again = self.succeed("info", "--private", "--yes", "--json").json
        self.assertEqual(sorted(again["private_descriptors"]), sorted(texts))
        addresses = [core.getnewaddress("", kind)
                     for kind in ("legacy", "p2sh-segwit", "bech32", "bech32m")]
        addresses.append(core.getrawchangeaddress("bech32"))
        self.spend_from(addresses)


if __name__ == "__main__":
    unittest.main()
