"""Unconfirmed payments beside compact filters and full blocks, through the command."""

import json
import unittest

from petal_process import ADDRESS, FollowerTest, interrupt


class UnconfirmedTest(FollowerTest):
    def follow_by(self, source, mode):
        follower = self.follow("--json", "--source", source, "--unconfirmed", mode)
        self.next_event(follower, "progress", phase="listening")
        return follower

    def test_are_shown_before_they_confirm(self):
        for source in "compact", "blocks":
            for mode in "bloom", "all":
                with self.subTest(source=source, mode=mode):
                    follower = self.follow_by(source, mode)
                    txid = self.pay(ADDRESS, 0.25)
                    seen = self.next_event(follower, "transaction", txid=txid)
                    self.assertEqual((seen["height"], seen["seen_from"]), (None, 1))
                    interrupt(follower)
                    self.finish(follower)
                    self.mine()

    def test_are_not_shown_if_none_are_wanted(self):
        follower = self.follow_by("compact", "none")
        txid = self.pay(ADDRESS, 0.25)
        mined = self.mine()
        seen = self.next_event(follower, "transaction", txid=txid)
        self.assertEqual(seen["height"], mined["height"])

    def test_are_in_the_mempool_of_the_node_that_gets_the_filter(self):
        txid = self.pay(ADDRESS, 0.25)
        sync = ["sync", "--connect", self.address, "--source", "compact", "--unconfirmed", "bloom"]
        result = self.succeed(*sync, "--wait-unconfirmed", "8", "--json").json
        self.assertEqual(result["relay"], {"mode": "bloom", "peer": self.address})
        self.assertEqual(result["stats"]["filter_loads"], 1)
        self.assertEqual(self.succeed("history", "--json").json["transactions"][0]["txid"], txid)
        wallets = self.data / "regtest" / "wallets"
        node = json.loads((wallets / "default.db.relay-node").read_text())["node"]
        self.assertEqual(node, self.address)
        self.assertTrue((wallets / "default.db.filter-hosts").exists())
        words = self.succeed(*sync, "--wait-unconfirmed", "1").out
        self.assertIn("got a Bloom filter of the addresses that await payments", words)
        without = self.succeed(*sync, "--json").json
        self.assertIsNone(without["relay"])
        self.assertEqual(without["stats"]["filter_loads"], 0)

    def test_filter_is_the_one_that_inspect_shows(self):
        shown = self.succeed("filter", "inspect", "--wallet-filter", "--awaited", "--json").json
        self.assertEqual((shown["flags"], shown["bytes"]), ("none", 36000))
        self.assertEqual(shown["measures"]["truth"]["elements"], 100)
        match = self.succeed("filter", "match", "--wallet-filter", "--awaited", "--json", ADDRESS).json
        self.assertTrue(match["matches"][0]["match"])
        whole = self.succeed("filter", "inspect", "--wallet-filter", "--json").json
        self.assertNotEqual(whole["tweak"], shown["tweak"])

    def test_say_that_no_node_serves_bloom_filters(self):
        _, listening = self.start_node("--blocks", "5", "--fault", "no-bloom")
        result = self.succeed("sync", "--connect", listening["address"], "--source", "compact",
                              "--unconfirmed", "bloom", "--wait-unconfirmed", "11")
        self.assertIn("no connected node serves Bloom filters", result.err)
        self.assertIn("Unconfirmed payments were not seen", result.out)


if __name__ == "__main__":
    unittest.main()
