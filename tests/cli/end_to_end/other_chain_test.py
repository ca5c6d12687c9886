"""Peers that follow another chain, on the same port and with the same magic."""

import json
import time

from petal_process import PetalTest, interrupt

DAY = 24 * 3600


class OtherChainTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore()

    def forking_node(self, height, *arguments):
        """The address of a node whose headers after this height have 164 bytes."""
        _, listening = self.start_node("--blocks", "120", "--fault", f"other-chain={height}", *arguments)
        return listening["address"]

    def test_a_sync_that_finds_only_such_peers_says_so(self):
        address = self.forking_node(60)
        failed = self.run_petal("sync", "--connect", address, "--json")
        self.assert_fails(failed, 3, "other-chain")
        self.assertIn(f"{address} is on another chain (it follows a fork with another header format after block 60)",
                      failed.json["error"]["message"])
        peer = failed.json["peers"][0]
        self.assertEqual((peer["outcome"], peer["misbehaviour"]), ("other-chain", 0))
        self.assertEqual(peer["services"] >> 28 & 1, 1)
        stored = self.succeed("headers", "status", "--json").json
        self.assertEqual(stored["tip"]["height"], 60, "the headers before the fork are used")
        with_limit = self.run_petal("sync", "--connect", address, "--timeout", "30", "--json")
        self.assert_fails(with_limit, 3, "other-chain")

    def test_seven_of_them_beside_an_honest_node_cost_less_than_two_seconds(self):
        addresses = [self.forking_node(height) for height in (0, 1, 59, 60, 100, 118, 119)]
        _, honest = self.start_node("--blocks", "120")
        connect = [argument for address in (*addresses, honest["address"]) for argument in ("--connect", address)]
        synced = self.succeed("sync", *connect, "--json").json
        self.assertEqual(synced["wallet"]["synced_height"], 120)
        self.assertLess(synced["stats"]["seconds"], 2)
        outcomes = {peer["address"]: peer["outcome"] for peer in synced["peers"]}
        for address in addresses:
            # A sync may be over before the last of them has sent its headers.
            self.assertIn(outcomes.get(address), ("other-chain", None), address)
        self.assertIn("other-chain", outcomes.values())

    def test_a_found_one_is_left_alone_for_a_day(self):
        address = self.forking_node(60)
        self.succeed("peers", "add", address)
        options = ["--dns-seed", "none", "--json"]
        self.assert_fails(self.run_petal("sync", *options), 3, "other-chain")
        now = int(time.time())
        known = self.succeed("peers", "--json").json["peers"][0]
        self.assertEqual((known["last_outcome"], known["banned"], known["anchor"]), ("other-chain", False, False))
        self.assertAlmostEqual(known["left_alone_until_time"], now + DAY, delta=60)
        self.assertIn("is on another chain; left alone until", self.succeed("peers").out)
        again = self.run_petal("sync", *options)
        self.assert_fails(again, 3, "no-usable-peer")
        self.assertEqual(again.json["peers"], [], "it is not dialled")
        self.succeed("headers", "reset", "--yes")
        self.assertIsNone(self.succeed("peers", "--json").json["peers"][0]["left_alone_until_time"])
        self.assert_fails(self.run_petal("sync", *options), 3, "other-chain")

    def test_a_follower_leaves_a_node_that_changes_to_another_chain(self):
        node, listening = self.start_node("--blocks", "120", "--fault", "other-chain=121")
        follower = self.start("sync", "--follow", "--json", "--connect", listening["address"])
        self.next_event(follower, "synced", height=120)
        self.mine(1, node)
        self.next_event(follower, "synced", height=121)
        self.mine(1, node)
        gone = self.next_event(follower, "peer", connected=False)
        self.assertEqual(gone["reason"], "other-chain")
        interrupt(follower)
        self.assertEqual(self.finish(follower).status, 0)

    def test_a_fork_with_far_less_work_is_another_chain(self):
        _, listening = self.start_node("--blocks", "320")
        self.succeed("sync", "--connect", listening["address"])
        _, other = self.start_node("--blocks", "130", "--start-time", "1300000000")
        failed = self.run_petal("sync", "--connect", other["address"], "--connect", listening["address"], "--json")
        self.assertEqual(failed.status, 0, failed.err)
        failed = self.run_petal("sync", "--connect", other["address"], "--timeout", "60", "--json")
        self.assert_fails(failed, 3, "other-chain")
        self.assertIn("headers reset", json.dumps(failed.json))

    def test_a_found_one_with_far_less_work_is_soon_dialled_again(self):
        _, listening = self.start_node("--blocks", "320")
        self.succeed("sync", "--connect", listening["address"])
        _, other = self.start_node("--blocks", "130", "--start-time", "1300000000")
        self.succeed("peers", "add", other["address"])
        failed = self.run_petal("sync", "--dns-seed", "none", "--json")
        self.assert_fails(failed, 3, "other-chain")
        self.assertIn("headers reset", json.dumps(failed.json))
        known = self.succeed("peers", "--json").json["peers"][0]
        self.assertEqual(known["last_outcome"], "other-chain")
        self.assertAlmostEqual(known["left_alone_until_time"], int(time.time()) + 600, delta=60)
