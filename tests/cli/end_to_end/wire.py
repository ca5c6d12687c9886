"""Bitcoin's messages, for a node that answers petal, and transactions."""

import hashlib
import socket
import struct
import time

import signing

REGTEST = bytes.fromhex("fabfb5da")
SIGNET = bytes.fromhex("0a03cf40")
MAINNET = bytes.fromhex("f9beb4d9")
REGTEST_PORT = 18444
NETWORK, BLOOM, WITNESS, COMPACT_FILTERS, NETWORK_LIMITED, V2_TRANSPORT = 1, 4, 8, 64, 1024, 2048
FEE = 10_000
# The first blocks of the public signet. A custom signet differs only in its blocks' signatures, which headers do not
# contain.
SIGNET_GENESIS = bytes.fromhex(
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac7"
    "2c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a008f4d5fae77031e8ad22203")
SIGNET_HEADERS = [bytes.fromhex(header) for header in (
    "00000020f61eee3b63a380a477a063af32b2bbc97c9ff9f01f2c4225e973988108000000f575c83235984e7dc4af"
    "c1f30944c170462e84437ab6f2d52e16878a79e4678bd1914d5fae77031eccf40700",
    "00000020533b53ded9bff4adc94101d32400a144c54edc5ed492a3b26c63b2d686000000b38fef50592017cfafbc"
    "ab88eb3d9cf50b2c801711cad8299495d26df5e54812e7914d5fae77031ecfdd0b00",
    "000000202960f3752f0bfa8858a3e333294aedc7808025e868c9dc03e71d88bb320000007765fcd3d5b4966beb33"
    "8bba2675dc2cf2ad28d4ad1d83bdb6f286e7e27ac1f807924d5fae77031e81d60b00")]


def sha256d(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def head(magic, command, payload):
    return magic + command.ljust(12, b"\0") + struct.pack("<I", len(payload)) + sha256d(payload)[:4]


def message(magic, command, payload):
    return head(magic, command, payload) + payload


def version(magic, services, height=0):
    address = bytes(26)
    agent = b"/test:1/"
    payload = struct.pack("<iQq", 70016, services, 1_700_000_000) + address + address
    payload += struct.pack("<Q", 12345) + bytes([len(agent)]) + agent
    payload += struct.pack("<i?", height, True)
    return message(magic, b"version", payload)


def spend(coin, fee=FEE):
    """Spends a coin of petal_process.ADDRESS, signed (BIP143), in hexadecimal."""
    outpoint = bytes.fromhex(coin["txid"])[::-1] + struct.pack("<I", coin["vout"])
    sequence = b"\xfd\xff\xff\xff"
    output = struct.pack("<q", coin["amount_sat"] - fee) + b"\x16\0\x14" + b"\x77" * 20
    digest = sha256d(b"\x02\0\0\0" + sha256d(outpoint) + sha256d(sequence) + outpoint
                     + b"\x19\x76\xa9\x14" + signing.KEY_HASH + b"\x88\xac"
                     + struct.pack("<q", coin["amount_sat"]) + sequence + sha256d(output)
                     + bytes(4) + b"\x01\0\0\0")
    witness = b"\x02\x48" + signing.sign(digest) + b"\x01\x21" + signing.PUBLIC_KEY
    return (b"\x02\0\0\0\0\x01\x01" + outpoint + b"\0" + sequence + b"\x01" + output + witness
            + bytes(4)).hex()


def read_exactly(connection, size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise OSError("closed")
        data += piece
    return data


def read_message(connection):
    header = read_exactly(connection, 24)
    payload = read_exactly(connection, struct.unpack("<I", header[16:20])[0])
    return header[4:16].rstrip(b"\0"), payload


def greet(connection, magic, services, height=0):
    """Completes the handshake as the serving side."""
    read_message(connection)
    connection.sendall(version(magic, services, height) + message(magic, b"verack", b""))


def addr(magic, hosts, services=NETWORK | BLOOM | WITNESS):
    """An addr message with these IPv4 addresses and regtest's port."""
    payload = compact_size(len(hosts))
    for host in hosts:
        payload += struct.pack("<IQ", int(time.time()), services) + bytes(10) + b"\xff\xff"
        payload += socket.inet_aton(host) + struct.pack("!H", REGTEST_PORT)
    return message(magic, b"addr", payload)


def empty_merkleblock(header):
    """The merkleblock of a block whose only transaction does not match. Its hash is the merkle root."""
    return header + struct.pack("<I", 1) + b"\x01" + header[36:68] + b"\x01\x00"


def full_merkleblock(header):
    """The merkleblock of a block whose only transaction matches."""
    return empty_merkleblock(header)[:-1] + b"\x01"


def merkle_levels(txids):
    """The levels of a merkle tree, the leaves first."""
    levels = [txids]
    while len(levels[-1]) > 1:
        level = levels[-1] + levels[-1][-1:] * (len(levels[-1]) % 2)
        levels.append([sha256d(level[at] + level[at + 1]) for at in range(0, len(level), 2)])
    return levels


def merkleblock_of_all(header, txids):
    """The merkleblock of a block of which all transactions match."""
    bits = sum(len(level) for level in merkle_levels(txids))
    flags = ((1 << bits) - 1).to_bytes((bits + 7) // 8, "little")
    return (header + struct.pack("<I", len(txids)) + compact_size(len(txids)) + b"".join(txids)
            + compact_size(len(flags)) + flags)


def compact_size(number):
    return bytes([number]) if number < 0xfd else b"\xfd" + struct.pack("<H", number)


def mine(before, time, txids=()):
    """A header of regtest on this one, of a block with these transactions; without any, of one whose only transaction
    is made up."""
    root = merkle_levels(list(txids))[-1][0] if txids else sha256d(before + b"coinbase")
    for nonce in range(1000):
        header = struct.pack("<I32s32sIII", 4, sha256d(before), root, time, 0x207FFFFF, nonce)
        if sha256d(header)[31] < 0x7F:
            return header
    raise AssertionError("no nonce")


def payment(program, amount, coin):
    """An unsigned payment of an output that nobody knows to this P2WPKH program."""
    return (b"\x02\0\0\0\0\x01\x01" + sha256d(coin) + b"\0\0\0\0\0\xfd\xff\xff\xff\x01"
            + struct.pack("<q", amount) + b"\x16\0\x14" + program + b"\x02\x47" + b"\x30" * 71 + b"\x21"
            + b"\x02" * 33 + bytes(4))


def txid_of(transaction):
    """The id, in hexadecimal, of a transaction of payment()."""
    stripped = transaction[:4] + transaction[6:6 + 1 + 41 + 1 + 31] + transaction[-4:]
    return sha256d(stripped)[::-1].hex()


class Pool:
    """The unconfirmed transactions of a headers_node()."""

    def __init__(self, *transactions):
        self.transactions = {bytes.fromhex(txid_of(each))[::-1]: each for each in transactions}
        self.connections = []

    def inv(self, txids):
        return message(REGTEST, b"inv", compact_size(len(txids))
                       + b"".join(struct.pack("<I", 1) + txid for txid in txids))

    def show(self, transaction):
        """Replaces all transactions by this one, and announces it."""
        self.transactions = Pool(transaction).transactions
        for connection in self.connections:
            connection.sendall(self.inv(list(self.transactions)))


def headers_node(magic, genesis, headers, height=None, transactions={}, pool=None):
    """For a Server: answers like a node that has only these headers of 80 bytes each; it may claim another height. Like
    Bitcoin Core, it starts with the first header if it knows none of the blocks of a locator. No block matches any
    filter, except for those whose only transaction is given."""
    blocks = [genesis, *headers]
    places = {sha256d(header): place for place, header in enumerate(blocks)}

    def answer(connection):
        greet(connection, magic, NETWORK | BLOOM | WITNESS,
              len(headers) if height is None else height)
        while True:
            command, payload = read_message(connection)
            if command == b"ping":
                connection.sendall(message(magic, b"pong", payload))
            if command == b"getheaders":
                hashes = [payload[at:at + 32] for at in range(5, len(payload) - 32, 32)]
                start = next((places[hash] for hash in hashes if hash in places), 0)
                found = headers[start:start + 2000]
                reply = compact_size(len(found)) + b"".join(header + b"\0" for header in found)
                connection.sendall(message(magic, b"headers", reply))
            if command == b"mempool" and pool:
                pool.connections.append(connection)
                connection.sendall(pool.inv(list(pool.transactions)))
            if command == b"getdata":
                for at in range(1 if payload[0] < 0xfd else 3, len(payload), 36):
                    if pool and payload[at + 4:at + 36] in pool.transactions:
                        connection.sendall(message(magic, b"tx", pool.transactions[payload[at + 4:at + 36]]))
                        continue
                    block = blocks[places[payload[at + 4:at + 36]]]
                    transaction = transactions.get(block)
                    if not transaction:
                        connection.sendall(message(magic, b"merkleblock", empty_merkleblock(block)))
                        continue
                    connection.sendall(message(magic, b"merkleblock", full_merkleblock(block)))
                    connection.sendall(message(magic, b"tx", transaction))

    return answer
