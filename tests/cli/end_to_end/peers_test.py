"""What answers at the other end: nobody, something else, and nodes that are of no use."""

import json
import signal
import socket
import unittest

from petal_process import ADDRESS, PetalTest, Server, interrupt, silence
from wire import (BLOOM, NETWORK, REGTEST, SIGNET, WITNESS, greet, message, read_message,
                  version)


class PeersTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.succeed("create")

    def sync_from(self, answer, *arguments):
        server = Server(answer)
        self.addCleanup(server.close)
        return server, self.run_petal("sync", "--json", "--connect", server.address, *arguments)

    def assert_no_peer(self, server, result, words, code="no-usable-peer"):
        self.assert_fails(result, 3, code)
        self.assertIn(server.address, result.err)
        self.assertRegex(result.err, words)
        self.assertEqual(self.succeed("balance", "--json").json["total_sat"], 0)

    def test_removes_what_was_added(self):
        self.succeed("peers", "add", "203.0.113.5")
        self.succeed("peers", "remove", "203.0.113.5")
        self.assert_fails(self.run_petal("peers", "remove", "203.0.113.5", "--json"), 1,
                          "unknown-peer")

    def test_unreachable(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
        result = self.run_petal("sync", "--json", "--connect", address)
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertIn(address, result.err)

    def test_unknown_host(self):
        result = self.run_petal("sync", "--json", "--connect", "no-such-host.invalid:1")
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertIn("no-such-host.invalid:1", result.err)

    def test_http(self):
        def answer(connection):
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            silence(connection)

        self.assert_no_peer(*self.sync_from(answer), "something else|not.*Bitcoin")

    def test_garbage(self):
        def answer(connection):
            connection.sendall(bytes(range(256)) * 64)
            silence(connection)

        self.assert_no_peer(*self.sync_from(answer), "something else|not.*Bitcoin")

    def test_silence(self):
        self.assert_no_peer(*self.sync_from(silence, "--timeout", "1"), "has not answered",
                            code="timed-out")

    def test_hangs_up(self):
        self.assert_no_peer(*self.sync_from(lambda connection: connection.close()), "closed|gone")

    def test_another_network(self):
        def answer(connection):
            connection.sendall(version(SIGNET, NETWORK | BLOOM | WITNESS))
            silence(connection)

        self.assert_no_peer(*self.sync_from(answer), "another network, not of regtest")

    def test_no_bloom(self):
        def answer(connection):
            greet(connection, REGTEST, NETWORK | WITNESS)
            silence(connection)

        server, result = self.sync_from(answer)
        self.assert_no_peer(server, result, "Bloom")
        for way in "-peerbloomfilters=1", "-whitelist=bloomfilter@", "--full-blocks":
            self.assertIn(way, result.err)

    def test_no_old_blocks(self):
        def answer(connection):
            greet(connection, REGTEST, BLOOM | WITNESS)
            silence(connection)

        self.assert_no_peer(*self.sync_from(answer), "block")

    def test_wrong_checksum(self):
        def answer(connection):
            damaged = bytearray(version(REGTEST, NETWORK | BLOOM))
            damaged[-1] ^= 1
            connection.sendall(damaged)
            silence(connection)

        self.assert_no_peer(*self.sync_from(answer), "message")

    def test_stalls_after_the_handshake(self):
        def answer(connection):
            greet(connection, REGTEST, NETWORK | BLOOM | WITNESS, height=100)
            silence(connection)

        server, result = self.sync_from(answer, "--timeout", "1")
        self.assert_fails(result, 3, "timed-out")
        self.assertIn("of 100", result.err)

    def test_hostile_user_agent_cannot_reach_the_terminal(self):
        def answer(connection):
            read_message(connection)
            plain = version(REGTEST, NETWORK | WITNESS)[24:]
            payload = plain.replace(b"/test:1/", b"\x1b[2J\n\r/")
            connection.sendall(message(REGTEST, b"version", payload))
            silence(connection)

        server, result = self.sync_from(answer, "-vv")
        self.assertEqual(result.status, 3)
        self.assertNotIn("\x1b", result.err + result.out)

    def test_tells_more_with_v(self):
        node, listening = self.start_node("--blocks", "120", "--pay", ADDRESS)
        address = listening["address"]
        sync = ["sync", "--connect", address]
        self.assertEqual(self.succeed(*sync, "--json").err, "")
        self.succeed("rescan")
        told = self.succeed(*sync, "-v").err
        for part in (f"connected to {address}\n", f"{address} is /petal-regtest:", "phase done",
                     "filter loaded, 1 time in all: "):
            self.assertIn(part, told)
        self.assertNotIn("merkleblock", told)
        self.succeed("rescan")
        log = self.folder / "log"
        told = self.succeed(*sync, "-vv", "--log-file", str(log)).err
        self.assertIn(f"debug: received merkleblock, ", told)
        self.assertRegex(told, rf"debug: sent filterload, [0-9,]+ bytes, to {address}\n")
        self.assertEqual(log.stat().st_mode & 0o777, 0o600)
        lines = log.read_text().splitlines()
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ")
        self.assertEqual([line.partition(" ")[2] for line in lines], told.splitlines())
        self.run_petal("balance", "--wallet", "other", "--log-file", str(log))
        self.assertIn("Z error: there is no wallet", log.read_text().splitlines()[-1])
        self.assert_fails(self.run_petal("balance", "--json", "--log-file", str(self.folder)), 1,
                          "unwritable-file")

    def test_tells_programs_how_far_it_is(self):
        node, listening = self.start_node("--blocks", "120")
        result = self.succeed("sync", "--json", "--progress", "json", "--connect",
                              listening["address"])
        self.assertEqual(result.json["tip"]["height"], 120)
        told = [json.loads(line) for line in result.err.splitlines()]
        self.assertEqual({line["event"] for line in told}, {"progress"})
        self.assertEqual((told[-1]["phase"], told[-1]["synced_height"]), ("done", 120))
        self.assertEqual(self.run_petal("sync", "--progress", "loud").status, 2)

    def test_signals_end_a_sync_cleanly(self):
        for number in signal.SIGINT, signal.SIGTERM:
            server = Server(silence)
            self.addCleanup(server.close)
            process = self.start("sync", "--json", "--connect", server.address)
            self.assertTrue(server.connected.wait(30))
            interrupt(process, number)
            self.assert_fails(self.finish(process), 130, "interrupted")
            self.succeed("balance")

    def test_two_syncs_at_once(self):
        server = Server(silence)
        self.addCleanup(server.close)
        first = self.start("sync", "--connect", server.address)
        self.assertTrue(server.connected.wait(30))
        follower = self.run_petal("sync", "--follow", "--json", "--connect", server.address)
        self.assertEqual(follower.status, 4, follower.err)
        second = self.run_petal("sync", "--json", "--timeout", "1")
        self.assert_fails(second, 3, "timed-out")
        self.assertIn("another petal syncs this wallet", second.err)
        self.assertIsNone(first.poll())
        self.assert_fails(self.run_petal("rescan", "--json"), 4, "wallet-locked")
        self.assert_fails(self.run_petal("delete", "--yes", "--json"), 4, "wallet-locked")
        new = [self.succeed("receive", "--new", "--json").json["address"] for _ in range(2)]
        self.assertNotEqual(*new)
        self.succeed("label", new[0], "rent")
        interrupt(first)
        self.assertEqual(self.finish(first).status, 130)


if __name__ == "__main__":
    unittest.main()
