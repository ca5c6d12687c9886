"""Nodes and other services that cannot serve a sync: each is named, with the remedy."""

import unittest

from petal_process import PetalTest


def http(connection):
    connection.recv(1000)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")


def tls_alert(connection):
    connection.recv(1000)
    connection.sendall(bytes.fromhex("15030100020246"))


def electrum(connection):
    connection.recv(1000)
    connection.sendall(b'{"jsonrpc": "2.0", "error": {"code": -32700, "message": "invalid JSON"}, "id": null}\n')


def hang_up(connection):
    connection.recv(1000)


class UselessNodeTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore()

    def assert_useless(self, address, reason, *said):
        result = self.run_petal("sync", "--connect", address, "--json")
        self.assert_fails(result, 3, "no-usable-peer")
        [failure] = result.json["failures"]
        self.assertEqual((failure["address"], failure["reason"]), (address, reason))
        for words in said:
            self.assertIn(words, result.err)

    def test_another_service_is_named_by_its_first_bytes(self):
        for service, name in (http, "HTTP"), (tls_alert, "TLS"), (electrum, "JSON-RPC"):
            self.assert_useless(self.start_server(service).address, "not-bitcoin",
                                f"is not a Bitcoin node (it speaks {name}",
                                "the port of nodes of regtest, not their RPC port, is 18444")

    def test_a_silent_service_is_asked_after(self):
        self.assert_useless(self.start_server(hang_up).address, "gone",
                            "closed the connection without a word; is it a node of regtest?")

    def test_the_port_of_another_service_is_corrected(self):
        for port, what in ((18443, "Bitcoin Core's RPC port of regtest"), (48333, "the port of nodes of testnet4"),
                           (9050, "Tor's SOCKS port")):
            # Nothing listens there, or something that is no node of regtest.
            result = self.run_petal("sync", "--connect", f"127.0.0.77:{port}", "--json")
            self.assert_fails(result, 3, "no-usable-peer")
            self.assertIn(f"; {port} is {what}", result.err)

    def test_a_pruned_node_is_named(self):
        _, listening = self.start_node("--blocks", "400", "--fault", "pruned")
        self.assert_useless(listening["address"], "pruned", "is a pruned node, and lacks the old blocks",
                            "start Bitcoin Core without -prune")

    def test_a_node_that_refuses_blocks_is_named(self):
        _, listening = self.start_node("--blocks", "120", "--fault", "disconnect-at-block")
        self.assert_useless(listening["address"], "upload-limit",
                            "closed the connection when data were requested, as Bitcoin Core does once its "
                            "-maxuploadtarget is reached",
                            "-whitelist=bloomfilter,download,mempool@")

    def test_a_node_that_refuses_blocks_is_an_event(self):
        _, listening = self.start_node("--blocks", "120", "--fault", "disconnect-at-block")
        follower = self.start("sync", "--follow", "--json", "--connect", listening["address"])
        self.next_event(follower, "peer", connected=False, reason="upload-limit")


if __name__ == "__main__":
    unittest.main()
