"""Hostile peers: whatever they send, a sync must end in time, say why, and keep its memory and files within their
bounds."""

import os
import resource
import time
import unittest

from petal_process import PetalTest, environment, silence
from wire import (BLOOM, NETWORK, REGTEST, WITNESS, addr, greet, headers_node, message,
                  read_message, version)

SERVES = NETWORK | BLOOM | WITNESS
REGTEST_GENESIS = bytes.fromhex(
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac7"
    "2c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000")
MEGABYTE = 1 << 20
MORE_MEMORY = 32 * MEGABYTE  # beyond the memory of commands that are not flooded


def most_memory():
    """The largest memory of all commands so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def forever(what):
    """Sends these bytes until petal disconnects."""

    def answer(connection):
        greet(connection, REGTEST, SERVES, height=100)
        while True:
            connection.sendall(what)

    return answer


def drip(connection, data, pause=0.1):
    for byte in data:
        connection.sendall(bytes([byte]))
        time.sleep(pause)
    silence(connection)


class HostilePeerTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore()
        self.memory = most_memory()

    def sync_with(self, answer, *arguments):
        """The server, and the result of a sync that knows only this server."""
        server = self.start_server(answer)
        self.succeed("peers", "add", server.address)
        # With sanitizers, freed memory must not count either.
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=8"
        result = self.run_petal("sync", "--json", *arguments,
                                env=environment(ASAN_OPTIONS=options))
        return server, result

    def assert_ends_in_time(self, answer, words, timeout=1):
        """Expects that the sync ends in time and leaves the wallet unchanged."""
        start = time.monotonic()
        server, result = self.sync_with(answer, "--timeout", str(timeout))
        self.assertLess(time.monotonic() - start, timeout + 7)
        self.assertEqual((result.status, result.code), (3, "timed-out"), result.err)
        self.assertRegex(result.err, words)
        self.assertEqual(self.succeed("balance", "--json").json["total_sat"], 0)
        return server

    def assert_memory_bounded(self):
        self.assertLess(most_memory(), self.memory + MORE_MEMORY)

    def known(self):
        return [peer["address"] for peer in
                self.succeed("peers", "--all", "--json").json["peers"]]


class SlowPeerTest(HostilePeerTest):
    def test_that_drips_its_version(self):
        def answer(connection):
            drip(connection, version(REGTEST, SERVES))

        self.assert_ends_in_time(answer, "has not answered")

    def test_that_drips_its_headers(self):
        def answer(connection):
            greet(connection, REGTEST, SERVES, height=100)
            drip(connection, message(REGTEST, b"headers", b"\x64" + bytes(8100)))

        self.assert_ends_in_time(answer, "at block 0 of 100")


class FloodingPeerTest(HostilePeerTest):
    def test_with_addresses(self):
        # Addresses of this machine, on which nothing listens.
        hosts = [f"127.{group}.7.{host}" for group in range(20, 70) for host in range(20)]
        server = self.assert_ends_in_time(forever(addr(REGTEST, hosts)), "at block 0")
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

    def test_that_claims_a_height_is_not_believed_beyond_its_headers(self):
        self.assert_ends_in_time(headers_node(REGTEST, REGTEST_GENESIS, [], 1_000_000),
                                 "at block 0 of 1,000,000")


if __name__ == "__main__":
    unittest.main()
