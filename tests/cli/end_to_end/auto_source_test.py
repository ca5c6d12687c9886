"""`--source auto`: what is chosen of the ways that nodes serve, and what is said of it."""

import datetime

from petal_process import ADDRESS, PetalTest

BITCOIN = 100_000_000
CHAIN = ["--blocks", "150", "--start-time", "1296689202", "--pay", ADDRESS]


class AutoSourceTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore("--type", "wpkh")

    def serve(self, *faults):
        """Starts a node that serves less than everything. All nodes have the same chain."""
        options = [part for fault in faults for part in ("--fault", fault)]
        return self.start_node(*CHAIN, *options)[1]["address"]

    def sync(self, *addresses, command=("sync", "--json")):
        peers = [part for address in addresses for part in ("--connect", address)]
        return self.succeed(*command, "--source", "auto", *peers)

    def assert_chosen(self, synced, source, reason, counter):
        """Checks the choice, and that all blocks were searched in this way."""
        self.assertEqual((synced["source"], synced["source_reason"]), (source, reason))
        self.assertGreaterEqual(synced["stats"][counter], 150)
        self.assertEqual(synced["balance"]["total_sat"], BITCOIN)

    def test_takes_the_compact_filters_of_a_named_node(self):
        address = self.serve()
        self.assert_chosen(self.sync(address).json, "compact", "index", "compact_filters")
        self.succeed("rescan", "--from", "100")
        again = self.sync(address, command=("sync",))
        self.assertIn("compact filters (as before", again.out)
        self.assertIn("the nodes learn which blocks were downloaded, but no address", again.out)

    def test_takes_bloom_filters_without_an_index(self):
        synced = self.sync(self.serve("no-compact-filters")).json
        self.assert_chosen(synced, "bloom", "no-index", "filtered_blocks")

    def test_takes_bloom_filters_if_one_node_has_no_index(self):
        result = self.sync(self.serve("no-compact-filters"), self.serve(), command=("sync",))
        self.assertIn("Bloom filters (not every named node serves compact filters)", result.out)

    def test_takes_compact_filters_for_a_private_wallet(self):
        nodes = (self.serve("no-compact-filters"), self.serve())
        synced = self.sync(*nodes, command=("sync", "--privacy", "private", "--json")).json
        self.assert_chosen(synced, "compact", "privacy-profile", "compact_filters")

    def test_takes_blocks_if_nothing_else_is_served(self):
        synced = self.sync(self.serve("no-compact-filters", "no-bloom")).json
        self.assert_chosen(synced, "blocks", "only-blocks", "full_blocks")

    def test_leaves_out_the_node_that_serves_less(self):
        index, nothing = self.serve("no-bloom"), self.serve("no-compact-filters", "no-bloom")
        synced = self.sync(nothing, index).json
        self.assert_chosen(synced, "compact", "index", "compact_filters")
        outcomes = {peer["address"]: peer["outcome"] for peer in synced["peers"]}
        self.assertEqual(outcomes[nothing], "no-compact-filters")

    def test_takes_another_way_while_the_index_is_not_complete(self):
        synced = self.sync(self.serve("withhold-filter")).json
        self.assert_chosen(synced, "bloom", "index-incomplete", "filtered_blocks")

    def test_dials_nodes_again_that_did_not_serve_the_first_choice(self):
        synced = self.sync(self.serve("withhold-filter", "no-bloom"), self.serve("no-compact-filters")).json
        self.assert_chosen(synced, "bloom", "index-incomplete", "filtered_blocks")

    def test_says_if_found_nodes_do_not_serve_what_was_wanted(self):
        address = self.serve("no-bloom")
        self.succeed("peers", "add", address)
        result = self.sync()
        self.assert_chosen(result.json, "compact", "none-found", "compact_filters")
        self.assertIn("warning: payments are found by compact filters (no node was found", result.err)
        again = self.succeed("sync", "--json")  # the default without --connect
        self.assertEqual(again.json["source_reason"], "as-before")
        self.assertNotIn("warning", again.err)

    def test_downloads_only_few_blocks_of_found_nodes(self):
        self.succeed("peers", "add", self.serve("no-bloom", "no-compact-filters"))
        failed = self.run_petal("sync", "--source", "auto", "--json")
        self.assert_fails(failed, 3, "no-usable-peer")  # blocks since 2011 are missing
        self.assertRegex(failed.err, "--source blocks downloads all of them, some [0-9.]+ GB")
        yesterday = datetime.date.today() - datetime.timedelta(days=1)
        self.restore("--wallet", "new", "--type", "wpkh", "--birthday", str(yesterday))
        few = self.succeed("--wallet", "new", "sync", "--source", "auto", "--json")
        self.assertEqual((few.json["source"], few.json["source_reason"]), ("blocks", "none-found"))
        self.assertRegex(few.err, "warning: .*full blocks.*all blocks are downloaded, some [0-9]+[.0-9]* MB")

    def test_advises_no_large_download_if_no_node_was_reached(self):
        self.succeed("peers", "add", "127.0.0.1:1")
        failed = self.run_petal("sync", "--source", "auto", "--json")
        self.assert_fails(failed, 3, "no-usable-peer")
        self.assertNotIn("--source blocks", failed.err)

    def test_finds_nodes_with_compact_filters_first_for_a_private_wallet(self):
        self.succeed("peers", "add", self.serve())
        synced = self.succeed("sync", "--source", "auto", "--privacy", "private", "--json").json
        self.assert_chosen(synced, "compact", "privacy-profile", "compact_filters")

    def test_is_not_the_default_for_named_nodes(self):
        named = self.succeed("sync", "--json", "--connect", self.serve()).json
        self.assert_chosen(named, "bloom", "default", "filtered_blocks")
        refused = self.run_petal("sync", "--json", "--connect", self.serve("no-bloom"))
        self.assert_fails(refused, 3, "no-usable-peer")

    def test_follows_and_waits(self):
        address = self.serve("no-bloom")
        options = ("--source", "auto", "--connect", address)
        waited = self.succeed("wait", "--address", ADDRESS, "--conf", "1", "--json", *options).json
        self.assertEqual(waited["received_sat"], BITCOIN)
        follower = self.start("sync", "--follow", "--json", *options)
        chosen = self.next_event(follower, "source")
        self.assertEqual((chosen["source"], chosen["source_reason"]), ("compact", "as-before"))
        self.next_event(follower, "synced", height=150)

    def test_chooses_for_each_of_several_wallets(self):
        address = self.serve()
        self.sync(address)
        self.restore("--wallet", "other", "--type", "pkh")
        synced = self.sync(address, command=("sync", "--all-wallets", "--json")).json
        reasons = {wallet["name"]: wallet["source_reason"] for wallet in synced["wallets"]}
        self.assertEqual(reasons, {"default": "as-before", "other": "index"})
