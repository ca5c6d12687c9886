"""The merkle proof of a transaction, verified here by its formula alone."""

import contextlib
import sqlite3

from petal_process import ADDRESS, PetalTest
from wire import sha256d


def fold(txid, position, merkle):
    """The merkle root of a branch in display order, computed as Electrum's clients do."""
    node = bytes.fromhex(txid)[::-1]
    for text in merkle:
        sibling = bytes.fromhex(text)[::-1]
        node = sha256d(sibling + node if position & 1 else node + sibling)
        position >>= 1
    return node[::-1].hex()


class MerkleProofTest(PetalTest):
    def setUp(self):
        super().setUp()
        _, listening = self.start_node("--blocks", "122", "--pay", ADDRESS, "--pay", ADDRESS)
        self.peer = ["--connect", listening["address"]]
        self.restore("--type", "wpkh")

    def sync(self, *options):
        self.succeed("sync", *self.peer, *options)
        entry = self.succeed("history", "--json").json["transactions"][0]
        return self.succeed("tx", entry["txid"], "--json").json

    def change_wallet(self, sql):
        file = self.data / "regtest" / "wallets" / "default.db"
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.executescript(sql)

    def check_proof(self, tx):
        header = bytes.fromhex(tx["block_header"])
        self.assertEqual(sha256d(header)[::-1].hex(), tx["block_hash"])
        proof = tx["merkle_proof"]
        self.assertEqual(proof["block_height"], tx["height"])
        root = fold(tx["txid"], proof["pos"], proof["merkle"])
        self.assertEqual(root, header[36:68][::-1].hex())
        self.assertTrue(tx["txoutproof"].startswith(tx["block_header"]))
        self.assertIn(bytes.fromhex(tx["txid"])[::-1].hex(), tx["txoutproof"])

    def test_is_shown_of_filtered_and_full_blocks(self):
        filtered = self.sync()
        self.check_proof(filtered)
        text = self.succeed("tx", filtered["txid"], "--proof").out
        self.assertIn(filtered["txoutproof"], text)
        self.assertIn(filtered["block_header"], text)
        self.succeed("delete", "--yes")
        self.restore("--type", "wpkh")
        full = self.sync("--full-blocks")
        self.check_proof(full)
        self.assertEqual(full["txoutproof"], filtered["txoutproof"])

    def test_is_null_where_there_is_none(self):
        txid = self.sync()["txid"]

        def show():
            tx = self.succeed("tx", txid, "--json").json
            return tx["merkle_proof"], tx["txoutproof"]

        self.change_wallet(
            "DROP TABLE replacement; DROP TABLE explained; DROP TABLE tx_evidence; DROP TABLE change_output; DROP TABLE shown; DROP TABLE unsearched;"
            "DROP TABLE script_digest; DROP TABLE label_record; DROP TABLE filter_padding;"
            " DROP TABLE descriptor;"
            " DROP TABLE merkle_branch;"
            " PRAGMA user_version = 3")
        self.assertEqual(show(), (None, None))
        self.assertIn(" rescan`", self.succeed("tx", txid, "--proof").out)
        self.assertNotIn(" rescan`", self.succeed("tx", txid).out)
        self.succeed("rescan")
        self.assertEqual(show(), (None, None))
        self.check_proof(self.sync())

        for file in (self.data / "regtest").iterdir():
            if file.name.startswith("headers"):
                file.unlink()
        self.assertEqual(show(), (None, None))
        self.assertIn(" sync`", self.succeed("tx", txid, "--proof").out)

    def test_that_does_not_lead_to_the_root_is_damage(self):
        txid = self.sync()["txid"]
        self.change_wallet("UPDATE merkle_branch SET branch = zeroblob(length(branch))")
        self.assert_fails(self.run_petal("tx", txid, "--json"), 5, "merkle-proof-damaged")
        self.succeed("rescan")
        self.check_proof(self.sync())
