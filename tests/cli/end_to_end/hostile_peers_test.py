"""Hostile peers: whatever they send, a sync must end in time, say why, and keep its memory and files within their
bounds."""

import os
import resource
import time
import unittest

from petal_process import ADDRESS, PetalTest, environment, silence
from wire import BLOOM, NETWORK, REGTEST, WITNESS, addr, greet, head, message, read_message

SERVES = NETWORK | BLOOM | WITNESS
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


def once(*pieces):
    """Sends these bytes, and then only reads."""

    def answer(connection):
        greet(connection, REGTEST, SERVES, height=100)
        for piece in pieces:
            connection.sendall(piece)
        silence(connection)

    return answer


class HostilePeerTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore()
        self.memory = most_memory()

    def sync_with(self, answer, *arguments):
        """The server, and the result of a sync that knows only this server."""
        server = self.start_server(answer)
        self.succeed("peers", "add", server.address)
        return server, self.sync(*arguments)

    def sync(self, *arguments):
        # With sanitizers, freed memory must not count either.
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=8"
        return self.run_petal("sync", "--json", *arguments, env=environment(ASAN_OPTIONS=options))

    def assert_memory_bounded(self):
        self.assertLess(most_memory(), self.memory + MORE_MEMORY)

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
        self.assertIn("at block 0", result.err)
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
        floods = [unknown * 5, unknown * 5, [message(REGTEST, b"inv", inventory)] * 5]
        for name in b"tx", b"block", b"merkleblock", b"headers":
            floods.append([head(REGTEST, name, large), memoryview(large)[:-1]])
        servers = [self.start_server(once(*flood), f"127.{number}.0.1") for number, flood in enumerate(floods, 20)]
        _, node = self.start_node("--blocks", "120", "--pay", ADDRESS)
        addresses = [server.address for server in servers] + [node["address"]]
        result = self.sync(*(word for address in addresses for word in ("--connect", address)))
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json["tip"]["hash"], node["tip"])
        self.assertEqual(result.json["balance"]["confirmed_sat"], 100_000_000)
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


if __name__ == "__main__":
    unittest.main()
