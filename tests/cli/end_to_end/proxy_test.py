"""Syncs through a SOCKS5 proxy: what the proxy carries, and what happens if it misbehaves."""

import base64
import hashlib
import unittest

import isolated
import socks_proxy
from dns_stub import DnsStub, by_table
from petal_process import ADDRESS, PetalTest, end_of, interrupt
from relay import lead_to
from sniffer import sniffing
from socks_proxy import BEYOND, SocksProxy, refusing
from wire import REGTEST_PORT, spend

SEED = "seed.example"
PAID = 100_000_000


def setUpModule():
    isolated.enter()


def onion(number):
    """The name of the onion service whose public key is this byte, 32 times (Tor: rend-spec-v3, 6)."""
    key = bytes([number]) * 32
    checksum = hashlib.sha3_256(b".onion checksum" + key + b"\x03").digest()[:2]
    return base64.b32encode(key + checksum + b"\x03").decode().lower() + ".onion"


# Onion services in different network groups: their first four bits differ.
ONIONS = [onion(0x10), onion(0x20), onion(0x30)]


class ProxyTest(PetalTest):
    """A node with a block that pays the wallet. It is behind all onion services and the addresses of the seed. A name
    server must not get any question."""

    def setUp(self):
        super().setUp()
        self.node, listening = self.start_node("--blocks", "121", "--pay", ADDRESS)
        self.address = listening["address"]
        self.rpc = ("127.0.0.1", listening["rpc_port"])
        self.names = DnsStub(by_table({SEED: ["127.1.0.1"]}))
        self.addCleanup(self.names.close)
        self.restore()

    def proxy(self):
        proxy = SocksProxy({name: self.address for name in (*ONIONS, SEED)})
        self.addCleanup(proxy.close)
        return proxy

    def add_onions(self):
        self.succeed("peers", "add", *(f"{name}:{REGTEST_PORT}" for name in ONIONS))

    def assert_all_went_to(self, proxy, packets):
        """Expects that all packets from this machine go to the proxy, but for the test's own to the node's RPC. The
        proxy's own packets have another source address."""
        ends = {end_of(proxy.address), self.rpc}
        mine = {packet for packet in packets
                if BEYOND not in (packet.source[0], packet.destination[0])}
        self.assertTrue(mine)
        self.assertEqual({packet for packet in mine
                          if not ends & {packet.source, packet.destination}}, set())
        self.assertEqual(self.names.questions, [])

    def assert_asked_for(self, proxy, names):
        """Expects that the proxy is asked only for these targets, by name, and with a different login each time."""
        self.assertEqual({request.kind for request in proxy.requests}, {"name"})
        self.assertLessEqual({request.host for request in proxy.requests}, set(names))
        self.assertEqual({request.port for request in proxy.requests}, {REGTEST_PORT})
        logins = {(request.username, request.password) for request in proxy.requests}
        self.assertEqual(len(logins), len(proxy.requests))
        self.assertEqual(len({username for username, _ in logins}), len(logins))

    def assert_synced(self, result):
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json["tip"]["height"], 121)
        self.assertEqual(result.json["balance"]["total_sat"], PAID)


class RecordingProxyTest(ProxyTest):
    def test_gets_all_of_a_sync_with_onion_services(self):
        self.add_onions()
        proxy = self.proxy()
        with sniffing() as packets:
            for _ in range(2):
                result = self.run_petal("sync", "--json", "--onion-only", "--proxy", proxy.address)
                self.assert_synced(result)
        self.assertGreater(len(proxy.requests), 1)
        self.assert_all_went_to(proxy, packets)
        self.assert_asked_for(proxy, ONIONS)

    def test_gets_the_names_of_seeds(self):
        proxy = self.proxy()
        with sniffing() as packets:
            result = self.run_petal("sync", "--json", "--proxy", proxy.address,
                                    "--dns-seed", SEED, "--dns-seed", "other.example")
        self.assert_synced(result)
        self.assert_all_went_to(proxy, packets)
        self.assert_asked_for(proxy, [SEED, "other.example"])

    def test_gets_all_of_a_broadcast(self):
        self.succeed("sync", "--connect", self.address)
        coin = self.succeed("utxos", "--json").json["utxos"][0]
        self.add_onions()
        proxy = self.proxy()
        with sniffing() as packets:
            result = self.run_petal("broadcast", spend(coin), "--json", "--onion-only",
                                    "--proxy", proxy.address, "--peers", "1")
        self.assertEqual((result.status, result.json["outcome"]), (0, "accepted"), result.err)
        self.assertEqual(len(self.node.rpc.getrawmempool()), 1)
        self.assert_all_went_to(proxy, packets)
        self.assert_asked_for(proxy, ONIONS)

    def test_gets_all_while_the_chain_is_followed(self):
        self.add_onions()
        proxy = self.proxy()
        with sniffing() as packets:
            follower = self.start("sync", "--follow", "--json", "--onion-only",
                                  "--proxy", proxy.address)
            self.next_event(follower, "synced")
            txid = self.pay(ADDRESS, 0.25)
            self.next_event(follower, "transaction", txid=txid)
            self.mine()
            self.next_event(follower, "synced", height=122)
            self.wait_for(lambda: len(proxy.requests) >= len(ONIONS), lambda: proxy.requests)
            interrupt(follower)
            self.assertEqual(self.finish(follower).status, 0)
        self.assert_all_went_to(proxy, packets)
        self.assert_asked_for(proxy, ONIONS)

    def test_would_show_direct_connections(self):
        """Without a proxy, the same observers see the DNS questions and the connection."""
        self.start_server(lead_to(self.address), "127.1.0.1", REGTEST_PORT)
        with sniffing() as packets:
            self.assert_synced(self.run_petal("sync", "--json", "--dns-seed", SEED))
        ends = {packet.destination for packet in packets}
        self.assertLessEqual({("127.0.0.1", 53), ("127.1.0.1", REGTEST_PORT)}, ends)
        self.assertEqual(self.names.names, [SEED])


class BadProxyTest(ProxyTest):
    """A proxy that fails is never bypassed, and the nodes are not blamed for it."""

    def setUp(self):
        super().setUp()
        self.add_onions()

    def sync_by(self, answer, *arguments):
        """The result of a sync, and the nodes that were blamed."""
        server = self.start_server(answer)
        with sniffing() as packets:
            result = self.run_petal("sync", "--json", "--proxy", server.address, *arguments)
        self.assert_all_went_to(server, packets)
        return result, self.blamed()

    def blamed(self):
        listed = self.succeed("peers", "--json").json["peers"]
        return [peer["last_outcome"] for peer in listed if peer["failures"] > 0]

    def test_that_refuses_is_reported_at_once(self):
        for answer in (refusing(2), socks_proxy.taking_no_login,
                       socks_proxy.refusing_the_login):
            with self.subTest(answer.__name__):
                result, blamed = self.sync_by(answer)
                self.assert_fails(result, 3, "no-usable-peer")
                self.assertIn("the proxy refuses", result.err)
                self.assertNotIn("name another", result.err)
                self.assertEqual(blamed, [])

    def test_that_cannot_connect_is_reported(self):
        for code, words in ((1, "proxy: host unreachable"),
                            (5, "connection refused"),
                            (6, "no answer in time")):
            with self.subTest(code):
                result, _ = self.sync_by(refusing(code), "--connect", ONIONS[0])
                self.assert_fails(result, 3, "no-usable-peer")
                self.assertIn(f"{ONIONS[0]}:{REGTEST_PORT} can't be reached ({words})", result.err)
                self.assertIn("--connect HOST:PORT names another node", result.err)

    def test_that_is_unreachable_does_not_affect_the_next_sync(self):
        result = self.run_petal("sync", "--json", "--proxy", "127.0.0.1:1")
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertEqual(result.err, "error: no usable peer: the proxy can't be reached\n")
        self.assertEqual((self.blamed(), self.names.questions), ([], []))
        proxy = self.proxy()
        self.assert_synced(self.run_petal("sync", "--json", "--proxy", proxy.address))


if __name__ == "__main__":
    unittest.main()
