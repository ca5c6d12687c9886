"""Hostile peers: whatever they send, a sync must end in time, say why, and keep its memory and files within their
bounds."""

import os
import socket
import threading
import time
import unittest

from petal_process import ADDRESS, LIMIT, PetalTest, Result, environment, has_sanitizer, silence
from relay import lead_messages_to
from wire import BLOOM, NETWORK, REGTEST, WITNESS, addr, greet, head, message, read_message

SERVES = NETWORK | BLOOM | WITNESS
MEGABYTE = 1 << 20
# Beyond the memory of a sync that reaches no peer: what a sync needs and a sanitizer keeps, and a message of each peer.
MORE_MEMORY = 24 * MEGABYTE
LARGEST_MESSAGE = 4 * MEGABYTE
# The whole memory of a petal without a sanitizer, as docs/threat-model.md states it.
MOST_MEMORY = 64_000_000


def forever(what):
    """Sends these bytes until petal disconnects."""

    def answer(connection):
        greet(connection, REGTEST, SERVES, height=100)
        while True:
            connection.sendall(what)

    return answer


class Flood:
    """Sends these bytes once `begin` is set, and then only reads."""

    def __init__(self, begin, pieces):
        self.begin = begin
        self.pieces = pieces
        self.is_read = threading.Event()  # all but the last bytes, which the buffers of the sockets hold

    def __call__(self, connection):
        self.begin.wait(LIMIT)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        greet(connection, REGTEST, SERVES, height=100)
        for piece in self.pieces:
            connection.sendall(piece)
        self.is_read.set()
        silence(connection)


class HostilePeerTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore()
        self.sync("--connect", "127.0.0.1:1")
        self.memory = self.peak

    def sync_with(self, answer, *arguments):
        """The server, and the result of a sync that knows only this server."""
        server = self.start_server(answer)
        self.succeed("peers", "add", server.address)
        return server, self.sync(*arguments)

    def sync(self, *arguments):
        """The result of a sync, whose peak of memory, in bytes, is `self.peak` then."""
        # With sanitizers, freed memory must not count either.
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=8"
        process = self.start("sync", "--json", *arguments, env=environment(ASAN_OPTIONS=options))
        killer = threading.Timer(LIMIT, process.kill)
        killer.start()
        out, err = process.stdout.read(), process.stderr.read()
        killer.cancel()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.peak = usage.ru_maxrss * 1024
        return Result(process, out, err)

    def assert_memory_bounded(self, peers=1):
        if has_sanitizer("tsan"):
            return  # it keeps some ten times the memory that petal touches
        self.assertLess(self.peak, self.memory + MORE_MEMORY + peers * LARGEST_MESSAGE)
        if not has_sanitizer("asan"):
            self.assertLess(self.peak, MOST_MEMORY)

    def known(self):
        return [peer["address"] for peer in
                self.succeed("peers", "--all", "--json").json["peers"]]


class FloodingPeerTest(HostilePeerTest):
    def test_with_addresses(self):
        # Addresses of this machine, on which nothing listens.
        hosts = [f"127.{group}.7.{host}" for group in range(20, 70) for host in range(20)]
        start = time.monotonic()
        server, result = self.sync_with(forever(addr(REGTEST, hosts)), "--timeout", "1")
        self.assertLess(time.monotonic() - start, 8)
        self.assert_fails(result, 3, "timed-out")
        # A fast petal reaches the limit of unrequested data within the second.
        self.assertRegex(result.err, r"at block 0|1 × sent data that were not requested \(messages\)")
        self.assert_memory_bounded()
        known = self.known()
        self.assertIn(server.address, known)
        self.assertLessEqual(len(known), 1 + 256, "one source has few buckets")

    def test_with_unknown_messages_before_its_version(self):
        def answer(connection):
            read_message(connection)
            large = message(REGTEST, b"unheardof", bytes(3 * MEGABYTE))
            while True:
                connection.sendall(large)

        _, result = self.sync_with(answer, "--timeout", "1")
        self.assertEqual(result.status, 3, result.err)
        self.assert_memory_bounded()

    def test_beside_others_and_an_honest_one(self):
        # The peak of a command's memory includes this program's, so each text is here once.
        large = bytes(3_900_000)
        inventory = b"\xfd\x50\xc3" + bytes(36 * 50_000)
        unknown = [head(REGTEST, b"unheardof", large), large]
        floods = [unknown * 4, unknown * 4, [message(REGTEST, b"inv", inventory)] * 4]
        for name in b"tx", b"block", b"merkleblock", b"headers":
            floods.append([head(REGTEST, name, large), memoryview(large)[:-1]])
        begin = threading.Event()
        floods = [Flood(begin, flood) for flood in floods]
        servers = [self.start_server(flood, f"127.{number}.0.1") for number, flood in enumerate(floods, 20)]
        _, node = self.start_node("--blocks", "120", "--pay", ADDRESS)

        def hold_blocks(command):
            if command == b"getheaders":  # this peer is the first one that is asked
                begin.set()
            for flood in floods if command == b"getdata" else ():
                flood.is_read.wait(LIMIT)

        servers.append(self.start_server(lead_messages_to(node["address"], hold_blocks)))
        addresses = [server.address for server in servers]
        result = self.sync(*(word for address in addresses for word in ("--connect", address)))
        self.assertTrue(all(flood.is_read.is_set() for flood in floods))
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json["tip"]["hash"], node["tip"])
        self.assertEqual(result.json["balance"]["confirmed_sat"], 100_000_000)
        self.assert_memory_bounded(len(floods))


class LyingPeerTest(HostilePeerTest):
    def test_that_is_petal_itself_is_forgotten(self):
        def answer(connection):
            _, payload = read_message(connection)
            connection.sendall(message(REGTEST, b"version", payload))
            silence(connection)

        server, result = self.sync_with(answer)
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertIn(f"{server.address} is this very program", result.err)
        self.assertNotIn(server.address, self.known())


if __name__ == "__main__":
    unittest.main()
