"""A sync by compact filters (BIP157), through the command."""

from petal_process import ADDRESS, PetalTest


class CompactFiltersTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore("--type", "wpkh")

    def test_find_what_bloom_filters_find(self):
        node, listening = self.start_node("--blocks", "150", "--pay", ADDRESS, "--fault", "no-bloom")
        peer = ["--connect", listening["address"]]
        self.assert_fails(self.run_petal("sync", *peer, "--timeout", "5", "--json"), 3, "no-usable-peer")
        stats = self.succeed("sync", *peer, "--source", "compact", "--json").json["stats"]
        self.assertEqual(stats["compact_filters"], 150)
        self.assertEqual(stats["full_blocks"], 1)
        self.assertEqual(stats["filtered_blocks"], 0)
        self.assertIn("1.00000000 BTC", self.succeed("balance").out)

    def test_compare_the_filters_of_earlier_syncs(self):
        chain = ["--blocks", "150", "--pay", ADDRESS]
        lies = ["--fault", "wrong-filter", "--fault", "wrong-filter-header"]
        liar = ["--connect", self.start_node(*chain, *lies)[1]["address"]]
        alone = self.succeed("sync", *liar, "--source", "compact")
        self.assertIn("150 blocks, searched by the compact filters of one node alone", alone.out)
        self.assertNotIn("1.00000000 BTC", self.succeed("balance").out)
        honest = [argument for _ in range(2)
                  for argument in ("--connect", self.start_node(*chain)[1]["address"])]
        done = self.succeed("sync", *liar, *honest, "--source", "compact", "--json")
        self.assertIn("have different compact filters of block", done.err)
        outcomes = {peer["address"]: peer["outcome"] for peer in done.json["peers"]}
        self.assertEqual(outcomes.pop(liar[1]), "false-filter")
        self.assertEqual(set(outcomes.values()), {None})
        self.assertEqual(done.json["stats"]["uncompared_filters"], 0)
        self.assertLess(done.json["stats"]["full_blocks"], 10, "of 150")
        self.assertIn("1.00000000 BTC", self.succeed("balance").out)

    def test_need_a_node_that_serves_them(self):
        _, listening = self.start_node("--blocks", "3", "--fault", "no-compact-filters")
        failed = self.run_petal("sync", "--connect", listening["address"], "--source", "compact",
                                "--timeout", "5", "--json")
        self.assertEqual(failed.status, 3)
        self.assertIn("-peerblockfilters=1", failed.err)
