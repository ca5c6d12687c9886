"""Blocks that are more than two hours ahead of the clock when they are announced."""

import time

from petal_process import ADDRESS, PetalTest, interrupt

BITCOIN = 100_000_000
BLOCK = 600  # seconds between the node's blocks
LIMIT = 2 * 3600


class BlockAheadOfTheClockTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore()

    def start_ahead(self, seconds):
        """Starts a node whose next block, 121, counts this many seconds from now on."""
        self.counts_from = int(time.time()) + seconds
        start = self.counts_from + LIMIT - 120 * BLOCK
        self.node, listening = self.start_node("--blocks", "120", "--start-time", str(start))
        return ["--connect", listening["address"]]

    def mine_payment(self):
        self.pay(ADDRESS, 1)
        self.mine()

    def test_a_follower_takes_it_when_it_counts(self):
        follower = self.start("sync", "--follow", "--json", *self.start_ahead(12))
        self.next_event(follower, "synced", height=120)
        self.mine_payment()
        waits = self.next_event(follower, "progress", waiting_for="ahead-of-clock")
        self.assertEqual((waits["phase"], waits["ahead_of_clock_until_time"]), ("listening", self.counts_from))
        synced = self.next_event(follower, "synced", height=121)
        self.assertEqual(synced["balance"]["confirmed_sat"], BITCOIN)
        self.assertGreaterEqual(time.time(), self.counts_from)
        interrupt(follower)
        self.assertEqual(self.finish(follower).status, 0)

    def test_a_sync_that_ends_before_says_so(self):
        connect = self.start_ahead(500)
        self.mine_payment()
        for limit in [], ["--timeout", "20"]:
            synced = self.succeed("sync", "--json", *connect, *limit)
            self.assertEqual(synced.json["wallet"]["synced_height"], 120)
            self.assertEqual(synced.json["ahead_of_clock_until_time"], self.counts_from)
            self.assertLess(synced.json["stats"]["seconds"], 10)
            self.assertRegex(synced.err, r"(?m)^warning: \S+ has headers more than two hours ahead of this machine's "
                             r"clock, the next one until \S+ \S+ UTC: if the clock is slow, newer blocks are missing$")

    def test_timeout_allows_a_sync_to_wait_longer(self):
        connect = self.start_ahead(16)
        self.mine_payment()
        synced = self.succeed("sync", "--json", "--timeout", "50", *connect).json
        self.assertEqual(synced["wallet"]["synced_height"], 121)
