"""Stored headers of other networks, and damaged ones."""

import shutil
import unittest

from petal_process import ADDRESS, PetalTest
from wire import SIGNET, SIGNET_GENESIS, SIGNET_HEADERS, headers_node

OTHER_SIGNET = bytes.fromhex("54d26fbd")  # for the challenge 51, which is OP_TRUE
MUTINYNET = "512102f7561d208dd9ae99bf497273e16f389bdbd6c4742ddb8e6b216e64fa2928ad8f51ae"
SIGNET_THIRD = "000000e8daac2a2e973ecaab46dc948181c638adecf5ae0fd5d3e13aa14364b0"


class HeadersTest(PetalTest):
    def serve(self, *arguments):
        return self.start_server(headers_node(*arguments)).address

    def header_file(self, network):
        return self.data / network / "headers.dat"


class OtherSignetTest(HeadersTest):
    OPTIONS = ["--network", "signet", "--signet-challenge", "51"]

    def test_has_data_and_peers_of_its_own(self):
        self.succeed("create", *self.OPTIONS)
        node = self.serve(OTHER_SIGNET, SIGNET_GENESIS, SIGNET_HEADERS)
        report = self.succeed("sync", "--connect", node, "--timeout", "20", "--json",
                              *self.OPTIONS).json
        self.assertEqual(report["network"], "signet-54d26fbd")
        self.assertEqual(report["tip"]["hash"], SIGNET_THIRD)
        self.assertTrue(report["minimum_work"])
        status = self.succeed("headers", "status", "--json", *self.OPTIONS).json
        self.assertEqual((status["headers"], status["minimum_chainwork"]), (4, "0" * 64))
        self.assertEqual([folder.name for folder in self.data.iterdir()], ["signet-54d26fbd"])

    def test_is_not_the_public_one(self):
        self.succeed("create", *self.OPTIONS)
        node = self.serve(SIGNET, SIGNET_GENESIS, SIGNET_HEADERS)
        result = self.run_petal("sync", "--connect", node, "--json", *self.OPTIONS)
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertIn("another network, not of signet-54d26fbd", result.err)
        missing = self.run_petal("balance", "--json", "--network", "signet")
        self.assert_fails(missing, 4, "wallet-missing")

    def test_opens_no_wallet_and_no_headers_of_another(self):
        self.succeed("create", *self.OPTIONS)
        node = self.serve(OTHER_SIGNET, SIGNET_GENESIS, SIGNET_HEADERS)
        self.succeed("sync", "--connect", node, "--timeout", "20", *self.OPTIONS)
        for folder, options in (("signet-a5df2dcb", ["--signet-challenge", MUTINYNET]),
                                ("signet", [])):
            shutil.copytree(self.data / "signet-54d26fbd", self.data / folder)
            options = ["--json", "--network", "signet", *options]
            wallet = self.run_petal("balance", *options)
            self.assert_fails(wallet, 1, "wrong-network")
            self.assertIn("of the network signet-54d26fbd, not " + folder, wallet.err)
            headers = self.run_petal("headers", "status", *options)
            self.assert_fails(headers, 5, "headers-unusable")
            self.assertIn("belongs to another network; move it away", headers.err)

    def test_is_named_in_full_by_advice(self):
        result = self.run_petal("balance", *self.OPTIONS)
        same = f"`petal --network signet --signet-challenge 51 --datadir {self.data} "
        self.assertIn(same + "create`", result.err)
        self.assertIn(same + "sync`", self.restore(*self.OPTIONS).out)


class DamagedFileTest(HeadersTest):
    def synced(self):
        _, listening = self.start_node("--blocks", "200", "--pay", ADDRESS)
        self.restore()
        report = self.succeed("sync", "--connect", listening["address"], "--json").json
        return listening["address"], report["tip"]

    def test_of_garbage_is_left_alone_and_says_what_to_do(self):
        node, tip = self.synced()
        file = self.header_file("regtest")
        for garbage in b"hello", bytes(range(256)) * 100, b"\0" * 4096:
            file.write_bytes(garbage)
            for command in "headers status", "headers verify", "sync --connect " + node:
                result = self.run_petal(*command.split(), "--json")
                self.assert_fails(result, 5, "headers-unusable")
                self.assertIn("move it away, and the next sync makes it anew", result.err)
            self.assertEqual(file.read_bytes(), garbage)
        file.rename(self.folder / "garbage")
        report = self.succeed("sync", "--connect", node, "--timeout", "20", "--json").json
        self.assertEqual(report["tip"], tip)

    def test_is_cut_at_a_flipped_bit_and_filled_up(self):
        node, tip = self.synced()
        file = self.header_file("regtest")
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 4
        file.write_bytes(content)
        result = self.succeed("sync", "--connect", node, "--timeout", "20", "--json")
        self.assertEqual(result.json["tip"], tip)
        self.assertIn("the stored headers were damaged", result.err)
        self.assertEqual(self.succeed("headers", "verify", "--json").json["headers"], 201)

    def test_is_repaired_under_its_index_by_the_first_sync(self):
        _, listening = self.start_node("--blocks", "17000", "--pay", ADDRESS)
        self.restore()
        sync = ["sync", "--connect", listening["address"], "--json"]
        tip = self.succeed(*sync).json["tip"]
        file = self.header_file("regtest")
        self.assertTrue((file.parent / "headers.dat.index").exists())
        content = bytearray(file.read_bytes())
        content[-100] ^= 1  # in the header of the last block, which each sync reads
        file.write_bytes(content)
        result = self.succeed(*sync)
        self.assertIn("the stored headers are damaged; petal repairs them", result.err)
        self.assertEqual(result.json["tip"], tip)
        self.assertEqual(result.json["balance"]["confirmed_sat"], 100_000_000)
        self.assertEqual(self.succeed("headers", "verify", "--json").json["headers"], 17_001)


# With filters, a sync waits 30 s for peers to show the transactions of blocks that left the chain.
NO_MEMPOOL = ["--full-blocks"]


class ResetTest(PetalTest):
    """The chain of the node is replaced by a new one."""

    def setUp(self):
        super().setUp()
        self.restore()
        self.serve_and_sync("--blocks", "300", "--pay", ADDRESS)
        self.succeed("label", ADDRESS, "rent")

    def serve_and_sync(self, *arguments, options=()):
        node, listening = self.start_node(*arguments)
        result = self.run_petal("sync", "--json", "--connect", listening["address"], *options)
        self.end(node)
        return result

    def sync_with_new_chain(self, blocks, **options):
        return self.serve_and_sync("--blocks", str(blocks), *["--pay", ADDRESS] * 2, **options)

    def test_is_reported_and_followed_after_a_reset(self):
        result = self.sync_with_new_chain(200)
        self.assert_fails(result, 3, "other-chain")
        self.assertIn("wallet 'default' stays at block 300, as no peer has the stored chain",
                      result.err)
        self.assertIn("after block 198, ends at block 200", result.err)
        self.assertIn(" headers reset`", result.err)
        self.assertEqual([peer["on_stored_chain"] for peer in result.json["peers"]], [False])
        self.assertEqual(self.succeed("balance", "--json").json["confirmed_sat"], 100_000_000)

        self.assert_fails(self.run_petal("headers", "reset", "--json"), 2, "usage")
        reset = self.succeed("headers", "reset", "--yes", "--json").json
        self.assertEqual(reset, {"network": "regtest", "wallets": ["default"]})
        balance = self.succeed("balance", "--json").json
        self.assertEqual((balance["total_sat"], balance["synced"], balance["synced_height"]),
                         (0, False, None))
        self.assertEqual(self.succeed("history", "--json").json["transactions"], [])

        result = self.sync_with_new_chain(200, options=NO_MEMPOOL)
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json["tip"]["height"], 200)
        self.assertEqual(result.json["balance"]["total_sat"], 200_000_000)
        self.assertEqual(len(self.succeed("history", "--json").json["transactions"]), 2)
        listed = self.succeed("addresses", ADDRESS, "--json").json["addresses"][0]
        self.assertEqual((listed["label"], listed["received_sat"]), ("rent", 200_000_000))

    def test_is_not_reported_if_the_node_is_only_behind(self):
        reset = self.succeed("headers", "reset", "--yes")
        self.assertRegex(reset.out, r"'default' is searched .* --wallet default sync`")
        self.assertEqual(self.serve_and_sync("--blocks", "300", options=NO_MEMPOOL).status, 0)
        result = self.serve_and_sync("--blocks", "290")
        self.assertIn("no connected peer has all blocks of the stored chain", result.err)
        self.assertEqual([peer["on_stored_chain"] for peer in result.json["peers"]], [True])
        self.assertNotIn("headers reset", result.err)

    def test_tells_how_deep_a_reorganisation_went(self):
        node, listening = self.start_node("--blocks", "310")
        sync = ["sync", "--json", "--connect", listening["address"], *NO_MEMPOOL]
        self.succeed(*sync)
        self.reorganise(3, node)
        stats = self.succeed(*sync).json["stats"]
        self.assertEqual((stats["reorgs"], stats["deepest_reorg"]), (1, 3))

    def test_changes_nothing_while_a_wallet_is_synced(self):
        node, listening = self.start_node("--blocks", "300", "--pay", ADDRESS)
        follower = self.start("sync", "--follow", "--json", "--connect", listening["address"])
        self.next_event(follower, "synced")
        result = self.run_petal("headers", "reset", "--yes", "--json")
        self.assert_fails(result, 4, "wallet-locked")
        balance = self.succeed("balance", "--json").json
        self.assertEqual((balance["synced"], balance["total_sat"]), (True, 100_000_000))


if __name__ == "__main__":
    unittest.main()
