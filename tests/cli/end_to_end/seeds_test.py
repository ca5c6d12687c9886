"""Peers from DNS seeds and gossip, in a network namespace whose name server answers as a test wants."""

import contextlib
import sqlite3
import time
import unittest

import dns_stub
import isolated
from dns_stub import DnsStub, by_table
from petal_process import ADDRESS, PetalTest
from relay import lead_to
from sniffer import sniffing
from wire import (BLOOM, COMPACT_FILTERS, NETWORK, NETWORK_LIMITED, REGTEST, REGTEST_PORT, SIGNET, V2_TRANSPORT,
                  WITNESS, addr, greet, spend, version)

SEED = "seed.example"
PAID = 100_000_000


def setUpModule():
    isolated.enter()


class SeedsTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.restore()
        self.give_every_address_the_same_place()

    def give_every_address_the_same_place(self):
        """Fixes the key of the address table for all runs. With one key in a hundred, two addresses of a test share a
        slot."""
        self.succeed("peers", "ban", "10.0.0.1")
        self.succeed("peers", "unban", "10.0.0.1")
        book = sqlite3.connect(self.data / "regtest" / "peers.db")
        with contextlib.closing(book), book:
            book.execute("UPDATE book SET key = zeroblob(length(key))")

    def name_server(self, answer):
        stub = DnsStub(answer)
        self.addCleanup(stub.close)
        return stub

    def serve_at(self, *hosts, more=()):
        """Makes a node of 121 blocks reachable at each of these addresses. Returns the coin of its last block, which is
        the wallet's."""
        _, listening = self.start_node("--blocks", "121", "--pay", ADDRESS, *more)
        for host in hosts:
            self.start_server(lead_to(listening["address"]), host, REGTEST_PORT)
        return {**listening["payments"][0], "vout": 0}

    def sync(self, *arguments):
        return self.run_petal("sync", "--json", *arguments)

    def sync_by(self, *seeds, more=()):
        return self.sync(*(word for seed in seeds for word in ("--dns-seed", seed)), *more)

    def assert_synced(self, result):
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json["tip"]["height"], 121)
        self.assertEqual(result.json["balance"]["total_sat"], PAID)

    def known(self, *arguments):
        """What petal knows about each peer, by address."""
        listed = self.succeed("peers", "--all", "--json", *arguments).json
        return {peer["address"]: peer for peer in listed["peers"]}


class ListedNodesTest(SeedsTest):
    def test_are_synced_from(self):
        hosts = ["127.1.0.1", "127.2.0.1", "127.3.0.1"]
        self.serve_at(*hosts)
        stub = self.name_server(by_table({SEED: hosts}))
        result = self.sync_by(SEED)
        self.assert_synced(result)
        addresses = {f"{host}:{REGTEST_PORT}" for host in hosts}
        self.assertLessEqual({peer["address"] for peer in result.json["peers"]}, addresses)
        self.assertEqual({question.name for question in stub.questions}, {SEED})
        known = self.known()
        self.assertEqual(known.keys(), addresses)
        self.assertEqual({peer["source"] for peer in known.values()}, {SEED})

    def test_are_used_by_what_they_serve(self):
        self.serve_at("127.1.0.1", "127.2.0.1", more=["--fault", "no-bloom"])
        self.name_server(by_table({SEED: ["127.1.0.1", "127.2.0.1"]}))
        self.assert_fails(self.sync_by(SEED, more=["--source", "bloom"]), 3, "no-usable-peer")
        self.assertEqual({peer["last_outcome"] for peer in self.known().values()}, {"lacks-services"})
        result = self.sync_by(SEED, more=["--source", "compact"])
        self.assert_synced(result)
        self.assertEqual(result.json["stats"]["compact_filters"], 121)
        self.assertEqual({peer["last_outcome"] for peer in self.known().values()}, {"served"})

    def test_have_addresses_of_both_kinds(self):
        if not isolated.has_ipv6():
            self.skipTest("no IPv6 here")
        self.serve_at("::")
        stub = self.name_server(by_table({SEED: ["2a01:5::1"]}))
        result = self.sync_by(SEED)
        self.assert_synced(result)
        self.assertEqual(result.json["peers"][0]["address"], f"[2a01:5::1]:{REGTEST_PORT}")
        self.assertEqual({question.type for question in stub.questions}, {"A", "AAAA"})

    def test_are_remembered_with_their_outcome(self):
        def is_not_bitcoin(connection):
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        outcomes = {
            "lacks-services": lambda connection: greet(connection, REGTEST, NETWORK | WITNESS),
            "wrong-network": lambda connection: connection.sendall(version(SIGNET, NETWORK)),
            "refused": lambda connection: None,
            "bad-data": lambda connection: connection.sendall(addr(REGTEST, [])[:-1] + b"\1"),
        }
        hosts = [f"127.{group}.0.1" for group in range(1, 1 + len(outcomes))]
        for host, answer in zip(hosts, outcomes.values()):
            self.start_server(answer, host, REGTEST_PORT)
        self.start_server(is_not_bitcoin, "127.9.0.1", REGTEST_PORT)
        self.name_server(by_table({SEED: [*hosts, "127.9.0.1"]}))
        self.assert_fails(self.sync_by(SEED, more=["--source", "bloom"]), 3, "no-usable-peer")
        found = {address: peer["last_outcome"] for address, peer in self.known().items()}
        self.assertEqual(found, {f"{host}:{REGTEST_PORT}": outcome
                                 for host, outcome in zip([*hosts, "127.9.0.1"],
                                                          [*outcomes, "unreachable"])})
        self.assertEqual(self.succeed("peers", "--json").json["bans"], [])


class BuiltInSeedsTest(SeedsTest):
    def test_are_asked_for_the_services_that_the_source_needs(self):
        self.succeed("create", "--network", "testnet4")
        seeds = ["seed.testnet4.bitcoin.sprovoost.nl", "seed.testnet4.wiz.biz"]
        stub = self.name_server(by_table({}))
        for source, labels in (("bloom", ["xd.", "x5.", "x40c.", ""]), ("compact", ["x49.", "x448.", ""]),
                               ("blocks", [""])):
            with self.subTest(source):
                stub.questions.clear()
                self.assert_fails(self.sync("--network", "testnet4", "--source", source), 3, "no-usable-peer")
                self.assertEqual(set(stub.names), {label + seed for label in labels for seed in seeds})

    def test_are_not_asked_if_others_are_named(self):
        self.succeed("create", "--network", "testnet4")
        stub = self.name_server(by_table({}))
        self.sync("--network", "testnet4", "--dns-seed", SEED)
        self.assertEqual(stub.names, [SEED])
        stub.questions.clear()
        self.sync("--network", "testnet4", "--dns-seed", "none")
        self.sync("--network", "testnet4", "--connect", "127.0.0.1:1")
        self.assertEqual(stub.questions, [])


class CensusTest(SeedsTest):
    def census(self, *arguments):
        return self.run_petal("peers", "--census", "--dns-seed", SEED, *arguments)

    def test_shows_the_share_of_each_service(self):
        stated = {"127.1.0.1": NETWORK | BLOOM, "127.2.0.1": NETWORK | COMPACT_FILTERS | V2_TRANSPORT,
                  "127.3.0.1": NETWORK, "127.4.0.1": NETWORK_LIMITED}
        for host, services in stated.items():
            self.start_server(lambda connection, bits=services: greet(connection, REGTEST, bits), host, REGTEST_PORT)
        self.name_server(by_table({SEED: [*stated, "127.9.0.1"]}))
        census = self.census("--json").json["census"]
        self.assertEqual((census["known"], census["greeted"], census["answered"]), (5, 5, 4))
        self.assertTrue(census["complete"])
        nodes = {"full-chain": 3, "recent-blocks": 1, "bloom": 1, "compact-filters": 1, "v2-transport": 1}
        self.assertEqual({row["service"]: row["nodes"] for row in census["services"]}, nodes)
        self.assertEqual(census["services"][0]["share"], 0.75)
        self.assertEqual({address.split(":")[0]: peer["services"] for address, peer in self.known().items()},
                         {**stated, "127.9.0.1": 0})
        listed = self.succeed("peers", "--json").json["services"]
        self.assertEqual({row["service"]: row["checked"] for row in listed}, nodes)
        self.assertRegex(self.succeed("peers").out, r"Bloom filters \(BIP37\) +1 +1 +\d{4}-")

    def test_says_the_shares_in_words(self):
        self.start_server(lambda connection: greet(connection, REGTEST, NETWORK), "127.1.0.1", REGTEST_PORT)
        self.name_server(by_table({SEED: ["127.1.0.1"]}))
        said = self.census().out
        self.assertRegex(said, r"all blocks +1 +100 %\n")
        self.assertIn("1 of 1 greeted node answered, of 1 that may be dialled.\n", said)

    def test_that_reaches_no_node_fails(self):
        self.name_server(by_table({}))
        failed = self.census("--json")
        self.assert_fails(failed, 3, "no-usable-peer")
        self.assertEqual(failed.json["census"]["known"], 0)
        self.assert_fails(self.run_petal("peers", "--timeout", "5", "--json"), 2, "usage")


class UselessNameServerTest(SeedsTest):
    def test_that_is_silent_is_awaited_until_the_timeout(self):
        stub = self.name_server(dns_stub.silence)
        start = time.monotonic()
        result = self.sync_by(SEED, more=["--timeout", "1"])
        self.assertLess(time.monotonic() - start, 8)
        self.assert_fails(result, 3, "timed-out")
        self.assertIn("DNS lookup failed for the DNS seed (no answer); nothing could be "
                      "reached: this machine seems to be offline", result.err)
        self.assertEqual(stub.names, [SEED])

    def test_that_fails_counts_as_unreachable(self):
        self.name_server(dns_stub.failure)
        self.assert_fails(self.sync_by(SEED), 3, "offline")

    def test_that_answers_without_addresses_shows_that_this_machine_is_not_offline(self):
        for answer in by_table({}), by_table({SEED: []}):
            stub = DnsStub(answer)
            result = self.sync_by(SEED)
            stub.close()
            self.assert_fails(result, 3, "no-usable-peer")
            self.assertIn("DNS lookup failed for the DNS seed (no such host)", result.err)
            self.assertNotIn("offline", result.err)

    def test_is_told_from_a_wrong_name(self):
        for answer, words in ((by_table({}), "no such host"),
                              (dns_stub.failure, "DNS lookup failed")):
            stub = DnsStub(answer)
            result = self.sync("--connect", "node.example")
            stub.close()
            self.assert_fails(result, 3, "no-usable-peer")
            self.assertIn(f"node.example:{REGTEST_PORT} can't be reached ({words})", result.err)


class BroadcastTest(SeedsTest):
    ANY_COIN = {"txid": "11" * 32, "vout": 0, "amount_sat": PAID}

    def broadcast(self, *arguments, coin=None):
        return self.run_petal("broadcast", spend(coin or self.ANY_COIN), "--json", *arguments)

    def test_finds_the_nodes_that_a_seed_lists(self):
        coin = self.serve_at("127.1.0.1")
        self.name_server(by_table({SEED: ["127.1.0.1"]}))
        result = self.broadcast("--dns-seed", SEED, "--peers", "1", coin=coin)
        self.assertEqual((result.status, result.json["outcome"]), (0, "accepted"), result.err)

    def test_says_what_a_sync_does_of_names_and_networks(self):
        self.name_server(by_table({}))
        result = self.broadcast("--dns-seed", SEED)
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertIn("DNS lookup failed for the DNS seed (no such host)", result.err)
        with isolated.offline():
            self.succeed("peers", "add", *(f"5.{i}.1.1" for i in range(20)))
            result = self.broadcast("--dns-seed", "none")
        self.assert_fails(result, 3, "offline")


class LyingSeedTest(SeedsTest):
    LIES = [f"127.{group}.9.9" for group in range(2, 252)] + \
           [f"127.{group}.8.8" for group in range(2, 52)]

    def test_does_not_keep_a_wallet_from_another_seeds_nodes(self):
        self.serve_at("127.1.0.1")
        self.name_server(by_table({"liar.example": self.LIES, SEED: ["127.1.0.1"]}))
        self.assert_synced(self.sync_by("liar.example", SEED))

    def test_dials_no_address_that_is_not_public(self):
        private = ["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.1.1", "0.0.0.0", "224.0.0.1",
                   "255.255.255.255", "::1", "fe80::1", "fd00::1", "::ffff:10.0.0.1"]
        self.succeed("create", "--network", "testnet4")
        self.name_server(by_table({SEED: private}))
        with sniffing() as packets:
            result = self.sync_by(SEED, more=["--network", "testnet4"])
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertIn("no DNS seed that was asked lists any", result.err)
        self.assertEqual({packet for packet in packets if 53 not in (packet.source[1],
                                                                     packet.destination[1])}, set())
        self.assertEqual(self.known("--network", "testnet4"), {})


class OfflineTest(SeedsTest):
    def test_machine_is_reported_and_no_peer_blamed(self):
        on_testnet = ["--network", "testnet4"]
        self.succeed("create", *on_testnet)
        self.succeed("peers", "add", *on_testnet, *(f"5.{i}.1.1" for i in range(20)))
        with isolated.offline():
            result = self.sync(*on_testnet)
        self.assert_fails(result, 3, "offline")
        self.assertIn("nothing could be reached: this machine seems to be offline", result.err)
        for address, peer in self.known(*on_testnet).items():
            with self.subTest(address):
                self.assertEqual((peer["failures"], peer["last_outcome"],
                                  peer["left_alone_until_time"]), (0, None, None))


if __name__ == "__main__":
    unittest.main()
