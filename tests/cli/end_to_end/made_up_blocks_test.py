"""Blocks that a hostile miner has made up: once honest blocks have undone them, nothing is left of them."""

import contextlib
import struct
import threading
import time
import unittest

import wire
from claims_test import GENESIS
from petal_process import LIMIT, PetalTest, interrupt
from signing import KEY_HASH

COIN = 100_000_000


def coin_of(transaction, amount):
    return {"txid": wire.txid_of(transaction), "vout": 0, "amount_sat": amount}


def without_signature(transaction):
    signature = transaction.index(b"\x02\x48\x30") + 10
    return transaction[:signature] + bytes(20) + transaction[signature + 20:]


RECEIPT = wire.payment(KEY_HASH, COIN, b"receipt")
OTHER_RECEIPT = wire.payment(KEY_HASH, 3 * COIN, b"other")
PAYMENT = bytes.fromhex(wire.spend(coin_of(RECEIPT, COIN)))
UNSIGNED_SPEND = without_signature(bytes.fromhex(wire.spend(coin_of(OTHER_RECEIPT, 3 * COIN))))
INVENTED = wire.payment(KEY_HASH, 7_000, b"invented")


class ChainNode:
    """Serves a chain of blocks, whatever their transactions are, each of which matches. Its mempool is empty."""

    def __init__(self, blocks):
        self.lock = threading.Lock()
        self.connections = []
        self.blocks = blocks

    def switch_to(self, blocks):
        """Follows another chain, and announces its tip."""
        with self.lock:
            self.blocks = blocks
            tip = b"\x01" + struct.pack("<I", 2) + wire.sha256d(blocks[-1][0])
            for connection in self.connections:
                with contextlib.suppress(OSError):  # petal has disconnected
                    connection.sendall(wire.message(wire.REGTEST, b"inv", tip))

    def headers(self, payload):
        chain = [GENESIS, *(header for header, _ in self.blocks)]
        places = {wire.sha256d(header): place for place, header in enumerate(chain)}
        hashes = [payload[at:at + 32] for at in range(5, len(payload) - 32, 32)]
        start = next((places[hash] for hash in hashes if hash in places), 0)
        found = chain[start + 1:]
        return wire.compact_size(len(found)) + b"".join(header + b"\0" for header in found)

    def block(self, hash):
        header, transactions = next(block for block in self.blocks if wire.sha256d(block[0]) == hash)
        if not transactions:
            return wire.message(wire.REGTEST, b"merkleblock", wire.empty_merkleblock(header))
        txids = [bytes.fromhex(wire.txid_of(each))[::-1] for each in transactions]
        answer = wire.message(wire.REGTEST, b"merkleblock", wire.merkleblock_of_all(header, txids))
        return answer + b"".join(wire.message(wire.REGTEST, b"tx", each) for each in transactions)

    def __call__(self, connection):
        wire.greet(connection, wire.REGTEST, wire.NETWORK | wire.BLOOM | wire.WITNESS, len(self.blocks))
        with self.lock:
            self.connections.append(connection)
        while True:
            command, payload = wire.read_message(connection)
            with self.lock:
                if command == b"ping":
                    connection.sendall(wire.message(wire.REGTEST, b"pong", payload))
                if command == b"getheaders":
                    connection.sendall(wire.message(wire.REGTEST, b"headers", self.headers(payload)))
                if command == b"getdata":
                    for at in range(1 if payload[0] < 0xfd else 3, len(payload), 36):
                        connection.sendall(self.block(payload[at + 4:at + 36]))


class MadeUpBlocksTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.time = int(time.time()) - 6_000
        self.honest = self.extend([], [RECEIPT], [OTHER_RECEIPT], [PAYMENT], [])
        self.made_up = self.extend(self.honest, [UNSIGNED_SPEND, INVENTED])
        self.repeating = self.extend(self.made_up, [RECEIPT, INVENTED, PAYMENT])
        self.longer = self.extend(self.honest, [], [], [])
        self.restore()

    def extend(self, blocks, *contents):
        """The blocks, and one with each of these lists of transactions."""
        blocks = list(blocks)
        for transactions in contents:
            self.time += 60
            txids = [bytes.fromhex(wire.txid_of(each))[::-1] for each in transactions]
            before = blocks[-1][0] if blocks else GENESIS
            blocks.append((wire.mine(before, self.time, txids), transactions))
        return blocks

    def serve(self, blocks, group=1):
        node = ChainNode(blocks)
        return node, self.start_server(node, f"127.{group}.0.1").address

    def shown(self):
        shown = [self.succeed(command, "--json").json for command in ("balance", "utxos", "history")]
        for each in shown:
            del each["tip_age_s"]
        return shown

    def restored(self):
        """What a wallet that is restored from an honest node shows."""
        data, self.data = self.data, self.folder / "restored"
        self.restore()
        self.succeed("sync", "--connect", self.serve(self.longer, 9)[1])
        shown = self.shown()
        self.data = data
        return shown

    def assert_is_as_restored(self):
        restored = self.restored()
        self.wait_for(lambda: self.shown() == restored, lambda: f"{self.shown()}\nis not\n{restored}")
        self.assertEqual(restored[0]["confirmed_sat"], 3 * COIN)

    def test_sync_fails_with_a_peer_that_follows_an_invalid_one(self):
        node, address = self.serve(self.honest)
        self.succeed("sync", "--connect", address)
        node.switch_to(self.made_up)
        self.succeed("sync", "--connect", address)
        balance, _, history = self.shown()
        self.assertEqual(balance["confirmed_sat"], 7_000)
        self.assertEqual(len(history["transactions"]), 5)
        node.switch_to(self.repeating)
        repeated = self.run_petal("sync", "--connect", address, "--json")
        self.assertEqual(repeated.status, 3, "the only peer follows an invalid block")
        self.assertIn("is invalid", repeated.err)

    def test_follower_leaves_nothing_of_them(self):
        honest, honest_address = self.serve(self.honest)
        hostile, hostile_address = self.serve(self.honest, 2)
        follower = self.start("sync", "--follow", "--json", "--connect", honest_address, "--connect",
                              hostile_address)
        self.next_event(follower, "synced", height=4)
        hostile.switch_to(self.made_up)
        self.next_event(follower, "synced", height=5)
        self.assertEqual(self.shown()[0]["confirmed_sat"], 7_000)
        hostile.switch_to(self.repeating)
        self.next_event(follower, "peer", address=hostile_address, connected=False)
        honest.switch_to(self.longer)
        self.next_event(follower, "synced", height=7)
        self.assert_is_as_restored()
        interrupt(follower)
        follower.communicate(timeout=LIMIT)


if __name__ == "__main__":
    unittest.main()
