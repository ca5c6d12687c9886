"""A last block that is years old, on a public network."""

import sqlite3
import unittest

from petal_process import PetalTest, interrupt
from wire import SIGNET, SIGNET_GENESIS, SIGNET_HEADERS, headers_node

OPTIONS = ["--network", "signet", "--json"]
AGE = r"the last block, 3, is \d,?\d+ d \d+ h old"
PAID = "tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl"
YEAR = 31_536_000


class StaleTipTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore(*OPTIONS)
        node = self.start_server(headers_node(SIGNET, SIGNET_GENESIS, SIGNET_HEADERS))
        self.sync = ["sync", "--connect", node.address, "--minimum-chainwork", "0", *OPTIONS]

    def test_is_said_by_sync_balance_and_send(self):
        synced = self.succeed(*self.sync)
        self.assertRegex(synced.err, f"stale tip: {AGE}; peers may withhold newer blocks, or this machine's clock")
        self.assertGreater(synced.json["tip_age_s"], 5 * YEAR)
        balance = self.succeed("balance", *OPTIONS)
        self.assertRegex(balance.err, f"{AGE}, so newer payments are missing")
        self.assertGreaterEqual(balance.json["tip_age_s"], synced.json["tip_age_s"])
        self.assertRegex(self.run_petal("send", PAID, "0.1", "--dry-run", *OPTIONS).err, AGE)

    def test_is_an_event(self):
        follower = self.start(*self.sync, "--follow")
        told = self.next_event(follower, "stale-tip")
        self.assertEqual((told["stale"], told["height"]), (True, 3))
        self.assertGreater(told["tip_age_s"], 5 * YEAR)
        interrupt(follower)
        self.assertEqual(self.finish(follower).status, 0)

    def test_is_said_by_wait(self):
        waited = self.run_petal("wait", "--height", "4", "--timeout", "3", *self.sync[1:])
        self.assert_fails(waited, 3, "timed-out")
        self.assertEqual(waited.err.count("stale tip: "), 1, waited.err)

    def test_is_said_once_by_a_sync_of_several_wallets_whose_first_one_fails(self):
        self.restore("--wallet", "a", "--type", "tr", *OPTIONS)
        database = sqlite3.connect(self.data / "signet" / "wallets" / "a.db")
        with database:  # synced to a block that no peer has
            changed = database.execute("UPDATE sync SET height = 100, hash = randomblob(32)")
            self.assertEqual(changed.rowcount, 1)
        database.close()
        synced = self.run_petal(*self.sync, "--all-wallets", "--timeout", "3")
        self.assertEqual(["error" in wallet for wallet in synced.json["wallets"]], [True, False], synced.err)
        self.assertEqual(synced.err.count("stale tip: "), 1, synced.err)

    def test_is_not_said_on_regtest(self):
        _, listening = self.start_node("--blocks", "110")
        self.restore()
        synced = self.succeed("sync", "--connect", listening["address"], "--json")
        self.assertEqual(synced.err, "")
        self.assertGreater(synced.json["tip_age_s"], 0)
        self.assertEqual(self.succeed("balance", "--json").err, "")


if __name__ == "__main__":
    unittest.main()
