"""`petal sync --all-wallets`: several wallets side by side."""

import json
import os
import signal
import unittest

from petal_process import PetalTest, interrupt, silence

NAMES = ["a", "b", "c"]
BITCOIN = 100_000_000


class AllWalletsTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.node, listening = self.start_node("--blocks", "120")
        self.peer = ("--connect", listening["address"])
        for name, kind in zip(NAMES, ("wpkh", "sh-wpkh", "pkh")):
            self.restore("--wallet", name, "--type", kind)
        self.paid = self.succeed("receive", "--wallet", "b", "--json").json["address"]

    def follow(self, *more):
        follower = self.start("sync", "--all-wallets", "--follow", "--json", *self.peer, *more)
        events = self.events_until(follower, all_synced_to(120))
        return follower, events

    def test_syncs_each_and_prints_one_object(self):
        self.pay(self.paid, 0.25)
        height = self.mine()["height"]
        synced = self.succeed("sync", "--all-wallets", "--json", *self.peer).json
        self.assertEqual([wallet["name"] for wallet in synced["wallets"]], NAMES)
        self.assertEqual([wallet["synced_height"] for wallet in synced["wallets"]], [height] * 3)
        totals = [wallet["balance"]["total_sat"] for wallet in synced["wallets"]]
        self.assertEqual(totals, [0, BITCOIN // 4, 0])
        self.assertEqual(synced["stats"]["headers"], height)
        again = self.succeed("sync", "--wallet", "a", "--json", *self.peer).json
        self.assertEqual(again["wallet"]["synced_height"], height)
        self.assertNotIn("wallets", again)

    def test_follows_all_and_names_the_wallet_of_each_event(self):
        follower, events = self.follow()
        peers = [event["wallet"] for event in events if event["event"] == "peer"]
        self.assertEqual(sorted(peers), NAMES)
        txid = self.pay(self.paid, 0.25)
        seen = self.next_event(follower, "transaction")
        self.assertEqual((seen["wallet"], seen["txid"], seen["height"]), ("b", txid, None))
        mined = self.mine()
        events = self.events_until(follower, all_synced_to(mined["height"]))
        headers = [event for event in events if event["event"] == "headers"]
        self.assertEqual([event["hash"] for event in headers], [mined["tip"]])
        self.assertNotIn("wallet", headers[0])
        confirmed = [event for event in events if event["event"] == "transaction"]
        self.assertEqual([(event["wallet"], event["height"]) for event in confirmed],
                         [("b", mined["height"])])
        other = self.reorganise(1)
        events = self.events_until(follower, all_synced_to(other["height"]))
        reorgs = [event for event in events if event["event"] == "reorg"]
        self.assertEqual([event["to"]["hash"] for event in reorgs], [other["tip"]])

        interrupt(follower)
        result = self.finish(follower)
        self.assertEqual((result.status, result.err), (0, ""))
        ended = [json.loads(line) for line in result.out.splitlines()]
        ended = [event["wallet"] for event in ended if event["event"] == "ended"]
        self.assertEqual(ended, NAMES)

    def test_gives_events_with_names_to_the_command(self):
        told = self.folder / "told"
        follower, _ = self.follow("--notify", f"cat >> {told}")
        self.pay(self.paid, 1)
        self.next_event(follower, "transaction")
        interrupt(follower)
        self.assertEqual(self.finish(follower).status, 0)
        events = [json.loads(line) for line in told.read_text().splitlines()]
        payments = [event for event in events if event["event"] == "transaction"]
        self.assertEqual([event["wallet"] for event in payments], ["b"])

    def test_goes_on_without_one_that_is_damaged(self):
        (self.data / "regtest" / "wallets" / "a.db").write_text("this is no wallet")
        follower = self.start("sync", "--all-wallets", "--follow", "--json", *self.peer)
        events = self.events_until(follower, all_synced_to(120, ["b", "c"]))
        errors = [event for event in events if event["event"] == "error"]
        self.assertEqual([(event["wallet"], event["error"]["code"]) for event in errors],
                         [("a", "wallet-damaged")])
        interrupt(follower)
        result = self.finish(follower)
        self.assertEqual(result.status, 5)
        self.assertIn("error: 1 of 3 wallets failed: ", result.err)

    def test_says_the_wallet_in_words(self):
        follower = self.start("sync", "--wallet", "a", "--wallet", "b", "--follow", *self.peer)
        left = {"a", "b"}

        def are_synced(line):
            left.difference_update(name for name in list(left) if f"{name}: synced to block 120" in line)
            return not left

        self.lines_until(follower, are_synced)
        self.pay(self.paid, 1)
        told = self.lines_until(follower, lambda line: "BTC" in line)[-1]
        self.assertIn("b: +1.00000000 BTC", told)

    def test_is_interrupted_as_a_whole(self):
        silent = self.start_server(silence)
        sync = self.start("sync", "--all-wallets", "--json", "--connect", silent.address)
        self.assertTrue(silent.connected.wait(20))
        while len(silent.connections) < 3 and sync.poll() is None:
            os.sched_yield()
        interrupt(sync, signal.SIGINT)
        result = self.finish(sync)
        self.assert_fails(result, 130, "interrupted")
        codes = [wallet["error"]["code"] for wallet in result.json["wallets"]]
        self.assertEqual(codes, ["interrupted"] * 3)


def all_synced_to(height, names=NAMES):
    """Returns a function that tells whether each wallet has reported that it is synced to this block."""

    def reached(events):
        synced = {event["wallet"] for event in events
                  if event["event"] == "synced" and event["height"] == height}
        return synced >= set(names)

    return reached


if __name__ == "__main__":
    unittest.main()
