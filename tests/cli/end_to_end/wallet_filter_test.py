"""The filter that a wallet's peers receive, compared with the truth."""

import unittest

from petal_process import ADDRESS, PetalTest


class WalletFilterTest(PetalTest):
    def inspect(self, *arguments):
        return self.succeed("filter", "inspect", "--wallet-filter", "--json", *arguments).json

    def sync(self, *arguments):
        _, listening = self.start_node("--blocks", "130", "--pay", ADDRESS)
        self.succeed("sync", "--json", "--connect", listening["address"], *arguments)

    def test_follows_the_profile_that_the_wallet_was_synced_by(self):
        self.restore()
        fast = self.inspect()
        self.assertEqual(fast["verdict"]["grade"], "limited")
        self.assertEqual(fast["measures"]["fpr_design"], 1e-5)
        self.sync("--privacy", "private")
        private = self.inspect()
        self.assertEqual(private["measures"]["fpr_design"], 2.5e-4)
        for same in ("bytes", "hash_functions", "tweak", "flags"):
            self.assertEqual(private[same], fast[same])
        self.assertEqual(self.inspect("--privacy", "fast")["measures"]["fpr_design"], 1e-5)

    def test_says_what_is_estimated_and_what_is_true(self):
        self.restore()
        self.sync()
        seen = self.inspect()
        self.assertEqual(seen["flags"], "all")
        self.assertEqual(seen["measures"]["used"], 1)
        self.assertEqual(seen["measures"]["fpr_design"], 1e-5)
        truth = seen["measures"]["truth"]
        self.assertGreaterEqual(truth["elements"], 40)
        off = abs(seen["elements_estimate"] - truth["elements"] - truth["others"])
        self.assertLess(off, 4 * seen["elements_sigma"] + 1)
        self.assertGreaterEqual(seen["fpr_actual"], 1e-5)
        self.assertLess(seen["fpr_actual"], 1.1e-5)
        self.assertEqual(self.inspect("--used", "7")["measures"]["used"], 7)
        inserted = [p for p in seen["measures"]["evidence"]["pairs"] if p["inserted"]]
        self.assertEqual([p["pair"] for p in inserted], ["address-and-coin"], "the wallet has a coin")
        pair = inserted[0]
        self.assertEqual((pair["own"], pair["strangers"]), (1, 0), "and no other wallet has one here")
        words = self.succeed("filter", "inspect", "--wallet-filter").out
        self.assertIn("in it, 1 of the wallet's", words)
        self.assertEqual(seen["verdict"]["grade"], "exposed")
        self.assertEqual(seen["verdict"]["attack"], "pair")

        # Without the wallet, the filter is recognised by its size and fill.
        bare = self.succeed("filter", "inspect", "--hex", seen["filterload"], "--json").json
        self.assertEqual([c["client"] for c in bare["measures"]["clients"]], ["petal"])
        self.assertEqual(bare["verdict"]["attack"], "candidate")
        self.assertEqual(bare["measures"]["fpr_design_at_least"], 1e-5)

        # The filter has the same bytes again, and contains the wallet's address.
        self.assertEqual(self.inspect()["filterload"], seen["filterload"])
        match = self.succeed("filter", "match", "--wallet-filter", "--json", ADDRESS).json
        self.assertTrue(match["matches"][0]["match"])
        words = self.succeed("filter", "inspect", "--wallet-filter").out
        self.assertIn("in truth", words)
        self.assertRegex(words, "made by +petal")
        self.assertIn("Verdict", words)

    def test_is_reported_with_what_only_its_owner_knows(self):
        self.restore()
        page = self.data / "mine.html"
        told = self.succeed("filter", "report", "-o", str(page), "--wallet-filter", "--json").json
        seen = self.inspect()
        self.assertEqual(told["verdict"]["grade"], seen["verdict"]["grade"])
        text = page.read_text()
        self.assertRegex(text, "in truth<.*4,000 elements of the wallet, [0-9,]+ others")
        self.assertIn("What the wallet's filter gives away", text)

    def test_is_reported_alone(self):
        self.restore()
        for wrong in ["--wallet-filter", "00" * 20], [], ["--privacy", "private", "00" * 20]:
            result = self.run_petal("filter", "report", "-o", "x.html", "--json", *wrong)
            self.assert_fails(result, 2, "usage")


if __name__ == "__main__":
    unittest.main()
