"""Bitcoin's messages, as a node that answers petal speaks them, and transactions."""

import hashlib
import socket
import struct
import time

REGTEST = bytes.fromhex("fabfb5da")
SIGNET = bytes.fromhex("0a03cf40")
REGTEST_PORT = 18444
NETWORK, BLOOM, WITNESS = 1, 4, 8
FEE = 10_000


def sha256d(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def message(magic, command, payload):
    checksum = sha256d(payload)[:4]
    return magic + command.ljust(12, b"\0") + struct.pack("<I", len(payload)) + checksum + payload


def version(magic, services, height=0):
    address = bytes(26)
    agent = b"/test:1/"
    payload = struct.pack("<iQq", 70016, services, 1_700_000_000) + address + address
    payload += struct.pack("<Q", 12345) + bytes([len(agent)]) + agent
    payload += struct.pack("<i?", height, True)
    return message(magic, b"version", payload)


def spend(coin, fee=FEE):
    """Spends a coin as a node wants it that runs no scripts, in hexadecimal."""
    outpoint = bytes.fromhex(coin["txid"])[::-1] + struct.pack("<I", coin["vout"])
    witness = b"\x02" + b"\x48" + b"\x01" * 72 + b"\x21" + b"\x02" * 33
    output = struct.pack("<q", coin["amount_sat"] - fee) + b"\x01\x51"
    return (b"\x02\0\0\0\0\x01\x01" + outpoint + b"\0\xfd\xff\xff\xff\x01" + output + witness
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
    """The serving side of a handshake."""
    read_message(connection)
    connection.sendall(version(magic, services, height) + message(magic, b"verack", b""))


def addr(magic, hosts, services=NETWORK | BLOOM | WITNESS):
    """Tells of nodes by their IPv4 addresses, at regtest's port."""
    count = len(hosts)
    payload = bytes([count]) if count < 0xfd else b"\xfd" + struct.pack("<H", count)
    for host in hosts:
        payload += struct.pack("<IQ", int(time.time()), services) + bytes(10) + b"\xff\xff"
        payload += socket.inet_aton(host) + struct.pack("!H", REGTEST_PORT)
    return message(magic, b"addr", payload)


def empty_merkleblock(header):
    """A block's only transaction, which does not match, is shown by its hash: the merkle root."""
    return header + struct.pack("<I", 1) + b"\x01" + header[36:68] + b"\x01\x00"


def headers_node(magic, genesis, headers, height=None):
    """What answers as a node does that has these headers, 80 bytes each, and no more; it may claim
    another height. Like Bitcoin Core it starts with the first where it knows none of the blocks
    that it is told. No block matches any filter."""
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
                found = headers[start:]
                reply = bytes([len(found)]) + b"".join(header + b"\0" for header in found)
                connection.sendall(message(magic, b"headers", reply))
            if command == b"getdata":
                for at in range(1, len(payload), 36):
                    block = blocks[places[payload[at + 4:at + 36]]]
                    connection.sendall(message(magic, b"merkleblock", empty_merkleblock(block)))

    return answer
