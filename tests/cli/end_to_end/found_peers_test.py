"""Peers that the command line does not name: `petal peers`, and syncs without --connect."""

import contextlib
import re
import sqlite3
import time
import unittest

from petal_process import ADDRESS, PetalTest


class FoundPeersTest(PetalTest):
    def listed(self, *arguments):
        return self.succeed("peers", *arguments, "--json").json

    def outcome(self, address):
        return next(p for p in self.listed()["peers"] if p["address"] == address)

    def file(self):
        return self.data / "regtest" / "peers.db"

    @contextlib.contextmanager
    def locked(self, how):
        """Locks the existing list of peers as another process would."""
        with contextlib.closing(sqlite3.connect(self.file(), isolation_level=None)) as database:
            database.execute(f"BEGIN {how}")
            yield

    def serve(self):
        """Starts a node with 121 blocks, the last of which pays the wallet."""
        _, listening = self.start_node("--blocks", "121", "--pay", ADDRESS)
        self.restore()
        return listening["address"]

    def test_syncs_from_a_peer_that_was_added(self):
        address = self.serve()
        self.listed("add", address)
        synced = self.succeed("sync", "--json").json
        self.assertEqual(synced["peers"][0]["address"], address)
        self.assertEqual(synced["balance"]["total_sat"], 100_000_000)
        peer = self.outcome(address)
        self.assertEqual((peer["last_outcome"], peer["tried"]), ("served", True))
        self.assertTrue(peer["added_by_user"])
        self.assertTrue(peer["anchor"], "it served at the end")
        self.assertRegex(self.succeed("peers").out, re.escape(address) + ".*anchor")

    def test_dials_no_banned_node(self):
        address = self.serve()
        host = address.rsplit(":", 1)[0]
        self.listed("add", address)
        bans = self.listed("ban", host)["bans"]
        self.assertEqual(bans, [{"host": host, "until_time": None, "by_user": True}])
        self.assertIn(f"banned: {host} for good, by you", self.succeed("peers").out)
        self.assert_fails(self.run_petal("sync", "--json"), 3, "no-usable-peer")
        self.assertEqual(self.listed("unban", host)["bans"], [])
        self.assertEqual(self.succeed("sync", "--json").json["tip"]["height"], 121)

    def test_a_ban_ends(self):
        ban = self.listed("ban", "10.0.0.1", "--days", "2")["bans"][0]
        self.assertGreater(ban["until_time"], 1_700_000_000)

    def test_lifts_no_ban_that_is_not_there(self):
        self.assert_fails(self.run_petal("peers", "unban", "10.0.0.1", "--json"), 1, "not-banned")

    def test_a_peer_that_cannot_be_reached_is_named(self):
        self.restore()
        self.listed("add", "127.0.0.9:1")
        result = self.run_petal("sync", "--json")
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertIn("127.0.0.9:1", result.err)
        self.assertEqual(self.outcome("127.0.0.9:1")["failures"], 0, "no node could be reached")
        self.assertIn("tried, no verdict yet", self.succeed("peers").out)

    def test_knows_no_node_at_first(self):
        listed = self.listed()
        self.assertEqual((listed["peers"], listed["bans"]), ([], []))
        self.assertEqual({row["known"] for row in listed["services"]}, {0})
        self.assertIn("No peers are known yet", self.succeed("peers").out)
        self.assertFalse(self.data.exists(), "looking makes no files")

    def test_refuses_what_is_no_address(self):
        for text in "seed.example.org", "1.2.3.4:0", "[::1", "x" * 60 + ".onion", "":
            with self.subTest(text):
                self.assert_fails(self.run_petal("peers", "add", text, "--json"), 2, "usage")

    def test_refuses_seeds_that_are_no_names(self):
        self.restore()
        for text in "1.2.3.4", "a:1", "b c", "":
            with self.subTest(text):
                result = self.run_petal("sync", "--dns-seed", text, "--json")
                self.assert_fails(result, 2, "usage")

    def test_listing_tells_that_the_list_was_damaged(self):
        self.listed("add", "10.0.0.1")
        self.file().write_bytes(b"no database" * 1000)
        result = self.run_petal("peers")
        self.assertEqual(result.status, 0)
        self.assertIn("it is kept as " + str(self.file()) + ".damaged", result.err)
        self.assertTrue(self.file().with_name("peers.db.damaged").exists())
        self.assertNotIn("damaged", self.run_petal("peers").err)

    def test_waits_for_no_other_process_that_writes(self):
        address = self.serve()
        self.listed("add", address)
        start = time.monotonic()
        with self.locked("IMMEDIATE"):
            self.assertIn(address, self.succeed("peers").out)
            result = self.run_petal("sync", "--json")
        self.assertLess(time.monotonic() - start, 20)
        self.assertEqual(result.json["tip"]["height"], 121)
        self.assertIn("known peers can't be saved", result.err)

    def test_syncs_without_a_list_that_is_locked(self):
        self.restore()
        self.listed("add", "10.0.0.1")
        start = time.monotonic()
        with self.locked("EXCLUSIVE"):
            result = self.run_petal("sync", "--json", "--timeout", "0.2")
        self.assertLess(time.monotonic() - start, 20)
        self.assertIn("known peers can't be read", result.err)

    def test_does_not_dial_the_default_node_if_that_is_not_allowed(self):
        self.restore()
        onions = self.run_petal("sync", "--json", "--onion-only", "--proxy", "127.0.0.1:1")
        self.assert_fails(onions, 3, "no-usable-peer")
        self.assertNotIn("18444", onions.err)
        self.listed("ban", "127.0.0.1")
        banned = self.run_petal("sync", "--json")
        self.assert_fails(banned, 3, "no-usable-peer")
        self.assertNotIn("18444", banned.err)

    def test_finds_a_regtest_node_at_its_default_address(self):
        self.restore()
        result = self.run_petal("sync", "--json", "--timeout", "0.2")
        if result.status != 0:  # another program may listen on that port
            self.assertIn("127.0.0.1:18444", result.err)


if __name__ == "__main__":
    unittest.main()
