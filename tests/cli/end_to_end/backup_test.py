"""Backups of wallets during a sync, and labels from other programs."""

import json
import os
import shutil
import unittest

from petal_process import ADDRESS, PetalTest

BITCOIN = 100_000_000


class BackupTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.node, listening = self.start_node("--blocks", "130", "--pay", ADDRESS)
        self.address = listening["address"]
        self.restore()
        self.backup = self.folder / "wallet.petal"

    def sync(self, *arguments):
        return self.succeed("sync", "--connect", self.address, "--json", *arguments).json

    def back_up(self):
        return self.succeed("backup", str(self.backup), "--json").json

    def restore_backup(self, *arguments):
        return self.succeed("restore-backup", str(self.backup), "--json", *arguments).json

    def test_beside_a_sync_that_follows(self):
        follower = self.start("sync", "--follow", "--connect", self.address, "--json")
        self.next_event(follower, "synced")
        self.assertEqual(self.back_up()["synced_height"], 130)
        self.assertEqual(os.stat(self.backup).st_mode & 0o777, 0o600)
        second = ["--wallet", "second"]
        self.assertEqual(self.restore_backup(*second)["synced_height"], 130)
        balance = self.succeed("balance", "--json", *second).json
        self.assertEqual(balance["confirmed_sat"], BITCOIN)

    def test_goes_on_with_the_blocks_that_came_since(self):
        self.sync()
        self.back_up()
        self.pay(ADDRESS, 0.5)
        self.mine(3)
        self.restore_backup("--wallet", "second")
        report = self.sync("--wallet", "second")
        self.assertEqual(report["balance"]["confirmed_sat"], BITCOIN * 3 // 2)
        self.assertEqual(report["wallet"]["synced_height"], 133)
        self.assertLess(report["stats"]["filtered_blocks"], 20)

    def test_goes_on_after_a_reorganisation_and_without_headers(self):
        self.pay(ADDRESS, 0.5)
        self.mine()
        report = self.sync()
        self.assertEqual(report["balance"]["confirmed_sat"], BITCOIN * 3 // 2)
        self.back_up()
        other = self.reorganise(1)  # disconnects the block with the payment
        for keeps_headers in True, False:
            with self.subTest(keeps_headers=keeps_headers):
                if not keeps_headers:
                    shutil.rmtree(self.data)
                name = ["--wallet", f"restored-{keeps_headers}"]
                self.assertEqual(self.restore_backup(*name)["synced_height"], 131)
                report = self.sync(*name)
                self.assertEqual(report["tip"]["hash"], other["tip"])
                self.assertEqual(report["wallet"]["synced_height"], other["height"])
                self.assertEqual(report["balance"]["confirmed_sat"], BITCOIN)

    def test_every_kind_of_harm_is_refused(self):
        self.back_up()
        whole = self.backup.read_bytes()
        second = ["--wallet", "second", "restore-backup", str(self.backup), "--json"]
        for harm, reason in [
            (whole[:-1], "is cut off before its end"),
            (whole[:5000] + b"?" + whole[5001:], "is damaged"),
            (whole + b"\0", "goes on behind its end"),
            (b"SQLite format 3\0" + whole, "is no backup of petal's"),
        ]:
            self.backup.write_bytes(harm)
            result = self.run_petal(*second)
            self.assert_fails(result, 1, "bad-backup")
            self.assertIn(reason, result.err)
        self.assertEqual(len(self.succeed("wallets", "--json").json["wallets"]), 1)
        self.backup.write_bytes(whole)
        self.succeed(*second)


class LabelsTest(PetalTest):
    def test_of_other_wallets_come_back_as_they_were(self):
        self.restore()
        records = [
            {"type": "addr", "ref": ADDRESS, "label": "Miete – März"},
            {"type": "tx", "ref": "f9" * 32, "label": "not mine",
             "origin": "pkh([d34db33f/44'/0'/0'])"},
            {"type": "output", "ref": "f9" * 32 + ":1", "spendable": False,
             "fmv": {"USD": 1233.45}},
            {"type": "xpub", "ref": "tpub", "label": "Account", "heights": [1, 2, 3]},
            {"type": "tomorrow", "ref": "?", "label": ""},
        ]
        file = self.folder / "labels.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        told = self.succeed("labels", "import", str(file), "--json").json
        self.assertEqual((told["labels"], told["own"]), (5, 1))
        out = self.succeed("labels", "export", "-").out
        back = [json.loads(line) for line in out.splitlines()]
        self.assertCountEqual(back, records)
        shown = self.succeed("addresses", ADDRESS, "--json").json["addresses"]
        self.assertEqual(shown[0]["label"], "Miete – März")


if __name__ == "__main__":
    unittest.main()
