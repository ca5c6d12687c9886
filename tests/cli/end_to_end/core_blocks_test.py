"""Blocks whose scriptSigs are at the limits, submitted to the regtest node and to Bitcoin Core."""

import struct
import unittest

from core_node import RpcNodeTest, needs_core
from petal_process import ADDRESS, START_TIME
from signing import KEY_HASH, PUBLIC_KEY, sign
from wire import sha256d

TARGET = 0x7FFFFF << (8 * 29)  # regtest's, bits 207fffff
NOP, RESERVED, CHECKMULTISIG = b"\x61", b"\x50", b"\xae"


def push(data):
    size = len(data)
    if size < 0x4C:
        return bytes([size]) + data
    return (b"\x4c" + bytes([size]) if size < 256 else b"\x4d" + struct.pack("<H", size)) + data


def with_size(data):
    size = len(data)
    return (bytes([size]) if size < 253 else b"\xfd" + struct.pack("<H", size)) + data


def transaction(txid, script_sig, outputs, index=0, version=2):
    """A transaction that spends one output, without witnesses."""
    made = struct.pack("<I", version) + b"\x01" + txid + struct.pack("<I", index)
    made += with_size(script_sig) + b"\xff" * 4 + bytes([len(outputs)])
    for value, script in outputs:
        made += struct.pack("<q", value) + with_size(script)
    return made + bytes(4)


def block(previous, time, height, transactions, coinbase_script=b""):
    """A block with a coinbase and at most one transaction."""
    height_push = push(height.to_bytes(height.bit_length() // 8 + 1, "little"))
    coinbase = transaction(bytes(32), coinbase_script or height_push + b"\x00", [(0, b"\x51")],
                           0xFFFFFFFF)
    contents = [coinbase, *transactions]
    root = sha256d(b"".join(map(sha256d, contents))) if transactions else sha256d(coinbase)
    for nonce in range(1000):
        header = struct.pack("<I", 0x20000000) + previous + root
        header += struct.pack("<III", time, 0x207FFFFF, nonce)
        if int.from_bytes(sha256d(header), "little") <= TARGET:
            return (header + bytes([len(contents)]) + b"".join(contents)).hex()
    raise AssertionError("no nonce")


REDEEM_SCRIPT = b"\x00\x14" + KEY_HASH
SCRIPTS = {
    "p2pkh": b"\x76\xa9\x14" + KEY_HASH + b"\x88\xac",
    "multisig": b"\x51" + push(PUBLIC_KEY) + b"\x51" + CHECKMULTISIG,
    "other multisig": b"\x51" + push(PUBLIC_KEY) + b"\x51" + CHECKMULTISIG,
    "true": b"\x51",
    "v2": b"\x52" + push(b"\x01" * 32),
}
DESCRIPTORS = {"p2sh": f"sh(wpkh({PUBLIC_KEY.hex()}))",
               **{name: f"raw({script.hex()})" for name, script in SCRIPTS.items()}}


@needs_core
class CoreBlocksTest(RpcNodeTest):
    def setUp(self):
        super().setUp()
        _, listening = self.start_node("--rpc", "0", "--start-time", START_TIME)
        self.petal, self.core = self.client(listening), self.start_core()
        self.coins = {}
        for name, text in DESCRIPTORS.items():
            descriptor = self.petal.getdescriptorinfo(text)["descriptor"]
            [mined] = self.petal.generatetodescriptor(1, descriptor)
            self.coins[name] = bytes.fromhex(self.petal.getblock(mined)["tx"][0])[::-1]
        self.petal.generatetoaddress(100, ADDRESS)
        self.copy_blocks()

    def copy_blocks(self):
        for height in range(self.core.getblockcount() + 1, self.petal.getblockcount() + 1):
            raw = self.petal.getblock(self.petal.getblockhash(height), 0)
            self.assertIsNone(self.core.submitblock(raw))

    def offer(self, *transactions, **options):
        """The answer of both nodes to a block, which must be the same."""
        tip = self.petal.getbestblockhash()
        header = self.petal.getblockheader(tip)
        raw = block(bytes.fromhex(tip)[::-1], header["time"] + 600, header["height"] + 1,
                    transactions, **options)
        ours, theirs = self.petal.submitblock(raw), self.core.submitblock(raw)
        self.assertEqual(ours, theirs)
        return ours

    def spend(self, name, script_sig):
        return transaction(self.coins[name], script_sig, [(1_000, b"\x51")])

    def signature(self, name):
        digest = sha256d(self.spend(name, SCRIPTS[name]) + struct.pack("<I", 1))
        return push(sign(digest) + b"\x01")

    def test_are_refused_for_their_scripts_in_the_same_words(self):
        redeem = push(REDEEM_SCRIPT)
        key = self.signature("p2pkh") + push(PUBLIC_KEY)
        for name, script_sig in [
            ("p2pkh", bytes(10_001)), ("p2pkh", push(bytes(521))), ("p2pkh", bytes(1_000)),
            ("p2pkh", key[:-1]), ("p2pkh", NOP + push(bytes(521))), ("p2pkh", RESERVED + key),
            ("p2pkh", bytes(997) + key), ("p2pkh", b""), ("p2pkh", NOP + key[:-1]),
            ("p2sh", bytes(10_000) + redeem), ("p2sh", push(bytes(521)) + redeem),
            ("p2sh", bytes(999) + redeem), ("p2sh", bytes(998) + redeem), ("p2sh", redeem[:-1]),
            ("p2sh", NOP + redeem), ("p2sh", b"\x51" + redeem), ("p2sh", b"\x51"), ("p2sh", b""),
            ("multisig", bytes(997) + self.signature("multisig")),
            ("multisig", b"\x51" + self.signature("multisig")),
            ("multisig", push(bytes(521)) + self.signature("multisig")),
            ("true", push(bytes(521))), ("true", bytes(10_001)), ("true", b"\x02\xff"),
            ("v2", b"\x51"),
        ]:
            with self.subTest(output=name, script_sig=script_sig.hex()[:20]):
                self.assertIn("block-script-verify-flag-failed",
                              self.offer(self.spend(name, script_sig)))

    def test_are_accepted_if_only_nonstandard(self):
        for name, script_sig in [
            ("p2pkh", bytes(996) + self.signature("p2pkh") + push(PUBLIC_KEY)),
            ("multisig", b"\x51\x00" + self.signature("multisig")),
            ("other multisig", bytes(996) + self.signature("other multisig")),
            ("true", push(bytes(520)) * 19 + bytes(63)),
        ]:
            with self.subTest(output=name):
                self.assertIsNone(self.offer(self.spend(name, script_sig)))

    def test_are_refused_for_the_same_one_of_several_faults(self):
        negative = transaction(self.coins["true"], b"", [(-1, b"\x51")])
        self.assertEqual(self.offer(negative, coinbase_script=bytes(101)), "bad-cb-length")
        self.assertEqual(self.offer(negative, coinbase_script=b"\x01\x05"),
                         "bad-txns-vout-negative")
        late = self.spend("true", b"")[:-4] + struct.pack("<I", 500)
        late = late.replace(b"\xff" * 4, b"\xfe" + b"\xff" * 3, 1)
        self.assertEqual(self.offer(late, coinbase_script=b"\x01\x05"), "bad-txns-nonfinal")
        self.assertEqual(self.offer(coinbase_script=b"\x01\x05"), "bad-cb-height")

    def test_return_the_same_transactions_when_they_are_invalidated(self):
        first = self.petal.getblockcount() + 1
        paid = []
        for _ in range(14):
            paid += [self.petal.sendtoaddress(ADDRESS, 0.1) for _ in range(3)]
            self.petal.generatetoaddress(1, ADDRESS)
        self.copy_blocks()
        for left in 14, 10, 11:
            block = self.petal.getblockhash(first + 14 - left)
            for node in self.petal, self.core:
                node.invalidateblock(block)
            returned = sorted(self.petal.getrawmempool())
            self.assertEqual(returned, sorted(self.core.getrawmempool()))
            self.assertEqual(len(returned) == 3 * left, left == 10)
            for node in self.petal, self.core:
                node.reconsiderblock(block)
            self.assertEqual(self.core.getrawmempool(), self.petal.getrawmempool())
            self.assertEqual(self.core.getbestblockhash(), self.petal.getbestblockhash())


if __name__ == "__main__":
    unittest.main()
