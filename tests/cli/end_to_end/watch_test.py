"""Wallets of descriptors: watched, imported, and exported with their keys."""

import unittest

from petal_process import ADDRESS, PetalTest

# BIP380's example keys.
KEY = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd"
OTHER_KEY = "0260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5e154050a9346ea98ce600"


class WatchTest(PetalTest):
    def test_watch_only_wallet_has_the_history_of_the_one_with_the_words(self):
        _, listening = self.start_node("--blocks", "130", "--pay", ADDRESS)
        self.restore("--type", "wpkh")
        hot = self.succeed("info", "--json").json
        made = self.succeed("watch", *hot["descriptors"], "--wallet", "cold", "--json").json
        for key in ("network", "type", "fingerprint", "descriptors", "birthday_height"):
            self.assertEqual(made[key], hot[key])
        self.assertNotIn("mnemonic", made)
        self.assertTrue(made["watch_only"])

        for wallet in "default", "cold":
            self.succeed("sync", "--connect", listening["address"], "--wallet", wallet)
        for command in "balance", "utxos", "history", "addresses":
            hot, cold = (
                self.succeed(command, "--json", "--wallet", wallet).json
                for wallet in ("default", "cold")
            )
            for result in hot, cold:
                result.pop("tip_age_s", None)  # it grows
            self.assertEqual(cold, hot)
        self.assertIn("watch-only", self.succeed("info", "--wallet", "cold").out)
        self.assertIn("watch-only", self.succeed("wallets").out)
        for refused in ["encrypt"], ["info", "--private", "--yes"]:
            result = self.run_petal(*refused, "--wallet", "cold", "--json")
            self.assert_fails(result, 4, "watch-only")

    def test_no_wallet_is_made_unless_all_is_valid(self):
        private = "wpkh(cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW)"
        for wrong in "wpkh(", KEY, f"pkh({KEY})":
            result = self.run_petal("watch", KEY, wrong, "--json")
            self.assert_fails(result, 1, "bad-descriptor")
            self.assertIn("descriptor 2: ", result.err)
        result = self.run_petal("watch", KEY, private, "--json")
        self.assert_fails(result, 2, "secret-argument")
        self.assertNotIn("cVpF924", result.err + result.out)
        self.assertEqual(self.succeed("wallets", "--json").json["wallets"], [])

    def test_wallet_of_an_address_has_no_others(self):
        self.succeed("watch", ADDRESS)
        self.assertEqual(self.succeed("receive", "--json").json["address"], ADDRESS)
        self.assert_fails(self.run_petal("receive", "--new", "--json"), 1, "no-new-address")

    def test_combo_is_watched_in_part_and_says_so(self):
        result = self.succeed("watch", f"combo({KEY})", "--json")
        self.assertEqual(len(result.json["descriptors"]), 2)
        self.assertIn("sh(wpkh())", result.err)


class ImportTest(PetalTest):
    def test_next_sync_searches_the_blocks_since_the_birthday_only(self):
        _, listening = self.start_node("--blocks", "130", "--pay", ADDRESS)
        sync = ["sync", "--connect", listening["address"], "--json"]
        self.restore("--type", "wpkh")
        self.succeed(*sync)
        result = self.run_petal("import", f"wpkh({OTHER_KEY})", "wpkh(", "--json")
        self.assert_fails(result, 1, "bad-descriptor")
        self.assertEqual(len(self.succeed("info", "--json").json["descriptors"]), 2)

        arguments = ["import", f"wpkh({OTHER_KEY})", "--birthday", "100"]
        imported = self.succeed(*arguments, "--json").json
        self.assertEqual(imported["synced_height"], 99)
        self.assertEqual(len(imported["descriptors"]), 3)
        stats = self.succeed(*sync).json["stats"]
        self.assertEqual(stats["filtered_blocks"], listening["height"] - 99)
        again = self.run_petal("import", f"wpkh({OTHER_KEY})", "--json")
        self.assert_fails(again, 1, "bad-descriptor")


class PrivateDescriptorsTest(PetalTest):
    def test_are_shown_after_a_confirmation(self):
        self.restore("--type", "tr")
        self.assertNotEqual(self.run_petal("info", "--private").status, 0)
        shown = self.succeed("info", "--private", "--yes", "--json").json["private_descriptors"]
        public = self.succeed("info", "--json").json["descriptors"]
        self.assertEqual(len(shown), 2)
        for private, descriptor in zip(shown, public):
            key = private[private.index("]") + 1 :]
            self.assertTrue(key.startswith("tprv"))
            self.assertEqual(private[: private.index("]")], descriptor[: descriptor.index("]")])
            self.assertEqual(key[key.index("/") : -8], descriptor[-14:-8])

    def test_need_the_password_of_an_encrypted_wallet(self):
        password = self.folder / "password"
        password.write_text("correct horse\n")
        self.restore("--password-file", str(password))
        show = ["info", "--private", "--yes", "--json"]
        self.assert_fails(self.run_petal(*show), 4, "locked")
        self.succeed(*show, "--password-file", str(password))
        password.write_text("wrong\n")
        wrong = self.run_petal(*show, "--password-file", str(password))
        self.assert_fails(wrong, 4, "wrong-password")


class RestoreTest(PetalTest):
    def test_finds_the_type_that_was_used(self):
        self.restore("--type", "tr", "--wallet", "known")
        address = self.succeed("receive", "--wallet", "known", "--json").json["address"]
        _, listening = self.start_node("--blocks", "130", "--pay", address)
        self.restore()
        self.assertEqual(self.succeed("info", "--json").json["types"], ["wpkh"])
        self.succeed("sync", "--connect", listening["address"])
        info = self.succeed("info", "--json").json
        self.assertEqual((info["type"], info["types"]), ("tr", ["tr"]))
        self.assertEqual(len(info["descriptors"]), 2)
        self.assertEqual(self.succeed("receive", "--json").json["path"], "m/86h/1h/0h/0/1")
        self.assertGreater(self.succeed("balance", "--json").json["confirmed_sat"], 0)


if __name__ == "__main__":
    unittest.main()
