"""Regtest nodes as a network: chains that are kept on disk, and the information that the nodes report."""

import json
import signal
import subprocess
import time
import unittest

from core_node import RpcNodeTest
from isolated import has_ipv6
from petal_process import ADDRESS, LIMIT, interrupt
from rpc_client import RpcError


class NodeNetworkTest(RpcNodeTest):
    def node(self, *arguments):
        """A node with RPC: its process, the event that it printed, and a client."""
        process, listening = self.start_node("--rpc", "0", *arguments)
        return process, listening, self.client(listening)

    def agree(self, *clients):
        self.wait_for(lambda: len({client.getbestblockhash() for client in clients}) == 1)
        self.wait_for(lambda: len({str(sorted(client.getrawmempool())) for client in clients}) == 1)

    def test_three_follow_the_most_work_and_relay_through_the_middle(self):
        _, _, one = self.node()
        _, middle_at, middle = self.node("--blocks", "0")
        _, _, other = self.node("--blocks", "0")
        for client in one, other:
            client.addnode(middle_at["address"], "add")
        self.agree(one, middle, other)
        self.assertEqual(other.getblockcount(), 120)
        txid = one.sendtoaddress(ADDRESS, 0.5)
        self.agree(one, middle, other)
        self.assertEqual(other.getrawmempool(), [txid])
        other.generatetoaddress(2, ADDRESS)
        self.agree(one, middle, other)
        self.assertEqual(one.getblockcount(), 122)
        self.assertEqual(one.gettxout(txid, 0)["confirmations"], 2)
        # All nodes switch to a longer branch.
        other.invalidateblock(other.getblockhash(119))
        other.generatetoaddress(6, ADDRESS)
        self.agree(one, middle, other)
        self.assertEqual(middle.getblockcount(), 124)
        self.assertEqual(sorted(peer["inbound"] for peer in middle.getpeerinfo()), [True, True])
        self.assertEqual(one.getpeerinfo()[0]["connection_type"], "manual")

    def test_redials_an_added_node_until_it_is_removed(self):
        _, _, one = self.node()
        _, there, other = self.node("--blocks", "0")
        one.addnode(there["address"], "add")
        self.wait_for(lambda: one.getconnectioncount() == 1)
        with self.assertRaises(RpcError) as refused:
            one.addnode(there["address"], "add")
        self.assertEqual(refused.exception.code, -23)
        other.disconnectnode("", other.getpeerinfo()[0]["id"])
        self.wait_for(lambda: [peer["id"] for peer in other.getpeerinfo()] == [2])
        one.addnode(there["address"], "remove")
        with self.assertRaises(RpcError) as refused:
            one.addnode(there["address"], "remove")
        self.assertEqual(refused.exception.code, -24)
        self.assertEqual(one.getconnectioncount(), 1)
        other.disconnectnode("", 2)
        self.wait_for(lambda: one.getconnectioncount() == 0)
        one.addnode(there["address"], "onetry")
        self.wait_for(lambda: one.getconnectioncount() == 1)

    def test_does_not_talk_to_itself(self):
        _, listening, client = self.node()
        client.addnode(listening["address"], "onetry")
        self.wait_for(lambda: client.getconnectioncount() == 0)

    @unittest.skipUnless(has_ipv6(), "no IPv6 here")
    def test_listens_on_ipv6(self):
        _, listening, one = self.node("--bind", "::1")
        self.assertEqual(listening["address"], "[::1]:%d" % listening["port"])
        _, _, other = self.node("--blocks", "0")
        other.addnode(listening["address"], "onetry")
        self.agree(one, other)
        self.assertEqual(other.getpeerinfo()[0]["network"], "not_publicly_routable")

    def test_takes_a_block_that_is_submitted(self):
        _, _, one = self.node()
        _, _, other = self.node("--blocks", "0")
        blocks = [one.getblock(one.getblockhash(height), 0) for height in range(1, 121)]
        self.assertEqual(other.submitblock(blocks[1]), "prev-blk-not-found")
        for block in blocks:
            self.assertIsNone(other.submitblock(block))
        self.assertEqual(other.getbestblockhash(), one.getbestblockhash())
        self.assertEqual(other.submitblock(blocks[0]), "duplicate")
        with self.assertRaises(RpcError) as refused:
            other.submitblock("00")
        self.assertEqual(refused.exception.code, -22)

    def test_keeps_its_chain(self):
        folder = ["--datadir", str(self.data)]
        process, listening, client = self.node(*folder)
        client.sendtoaddress(ADDRESS, 0.5)
        client.generatetoaddress(3, ADDRESS)
        left = client.getblockhash(122)
        client.invalidateblock(left)
        client.generatetoaddress(3, client.getnewaddress())
        tip = client.getbestblockhash()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process, listening, client = self.node(*folder, "--blocks", "5")
        self.assertEqual((listening["height"], listening["tip"]), (124, tip))
        client.generatetoaddress(1, ADDRESS)
        client.reconsiderblock(left)
        self.assertEqual(client.getblockcount(), 125)
        again = self.run_petal("--datadir", str(self.data), "regtest-node", "--port", "0", "--json")
        self.assert_fails(again, 1, "chain-in-use")
        interrupt(process, signal.SIGTERM)
        self.assertEqual(self.finish(process).status, 0)

    def test_pays_on_a_kept_chain_too(self):
        folder = ["--datadir", str(self.data)]
        for height in 120, 121:
            process, listening, client = self.node(*folder, "--pay", ADDRESS)
            payment, = listening["payments"]
            self.assertEqual((payment["height"], listening["height"]), (height, height))
            block = client.getblock(client.getblockhash(height), 2)
            self.assertEqual(block["tx"][1]["txid"], payment["txid"])
            interrupt(process, signal.SIGTERM)
            self.finish(process)
        refused = self.run_petal(*folder, "regtest-node", "--json", "--port", "0", "--pay", ADDRESS,
                                 "--pay", ADDRESS + "=5000")
        self.assert_fails(refused, 1, "insufficient-funds")
        _, listening, _ = self.node(*folder)
        self.assertEqual(listening["height"], 121, "a payment that fails leaves no other")

    def test_pays_now_on_a_kept_chain_of_long_ago(self):
        folder = ["--datadir", str(self.data)]
        process, _, _ = self.node(*folder)
        interrupt(process, signal.SIGTERM)
        self.finish(process)
        node = self.start(*folder, "regtest-node", "--port", "0", "--json", "--rpc", "0", "--pay", ADDRESS)
        tip = self.read_listening(node)["tip"]
        header = node.rpc.getblockheader(tip)
        self.assertLess(abs(header["time"] - time.time()), LIMIT)

    def test_drops_an_end_that_is_cut_off_or_damaged(self):
        folder = ["--datadir", str(self.data)]
        file = self.data / "regtest" / "chain.dat"
        process, listening, _ = self.node(*folder)
        interrupt(process, signal.SIGTERM)
        self.finish(process)
        whole = file.read_bytes()
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        damaged = bytearray(whole)
        damaged[-30] ^= 1
        for content in whole[:-1], bytes(damaged), whole + b"\x00\x10":
            file.write_bytes(content)
            process, now, client = self.node(*folder)
            height = 120 if len(content) > len(whole) else 119
            self.assertEqual(now["height"], height)
            interrupt(process, signal.SIGTERM)
            self.assertRegex(self.finish(process).err, "warning: the end of the stored chain was cut")
        self.assertEqual(file.read_bytes(), whole)
        damaged = bytearray(whole)
        damaged[len(whole) // 2] ^= 1
        file.write_bytes(damaged)
        refused = self.run_petal(*folder, "regtest-node", "--port", "0", "--json")
        self.assert_fails(refused, 5, "chain-damaged")
        self.assertEqual(file.read_bytes(), bytes(damaged), "others follow the wrong record")
        file.write_bytes(b"dear reader, this is a letter")
        refused = self.run_petal(*folder, "regtest-node", "--port", "0", "--json")
        self.assert_fails(refused, 5, "chain-damaged")
        self.assertEqual(file.read_bytes(), b"dear reader, this is a letter")

    def test_prints_events(self):
        process, listening, client = self.node()
        txid = client.sendtoaddress(ADDRESS, 0.5)
        self.assertEqual(self.next_event(process, "transaction")["txid"], txid)
        [block] = client.generatetoaddress(1, ADDRESS)
        told = self.next_event(process, "block")
        self.assertEqual((told["height"], told["hash"], told["transactions"]), (121, block, 2))
        client.invalidateblock(block)
        told = self.next_event(process, "reorg")
        self.assertEqual((told["from"]["hash"], told["to"]["height"]), (block, 120))
        self.assertEqual((told["fork"]["height"], told["disconnected"]), (120, 1))
        _, _, other = self.node("--blocks", "0")
        other.addnode(listening["address"], "onetry")
        told = self.next_event(process, "connection")
        self.assertEqual((told["connected"], told["inbound"]), (True, True))
        self.assertIn("petal", told["user_agent"])
        other.stop()
        gone = self.next_event(process, "connection")
        self.assertEqual((gone["id"], gone["connected"]), (told["id"], False))

    def test_does_not_wait_for_a_reader_of_events(self):
        process, _, client = self.node()
        for _ in range(10):
            client.generatetoaddress(200, ADDRESS)
        self.assertEqual(client.getblockcount(), 2120)
        interrupt(process, signal.SIGTERM)
        self.assertEqual(process.wait(LIMIT), 0)

    def test_goes_on_without_a_reader(self):
        process, _, client = self.node()
        process.stdout.close()
        for _ in range(5):
            client.generatetoaddress(1, ADDRESS)
        self.assertEqual(client.getblockcount(), 125)
        self.assertIsNone(process.poll())

    def test_conflicts_with_a_payment_on_request(self):
        _, _, client = self.node()
        txid = client.sendtoaddress(ADDRESS, 0.5)
        other = client.replacetransaction(txid)
        self.assertEqual(client.getrawmempool(), [other])
        client.droptransaction(other)
        self.assertEqual(client.getrawmempool(), [])
        txid = client.sendtoaddress(ADDRESS, 0.25)
        client.generatetoaddress(2, ADDRESS)
        mined = client.confirmconflict(txid)
        self.assertEqual(client.getbestblockhash(), mined["tip"])
        self.assertEqual(client.getblockcount(), 123)
        self.assertIsNone(client.gettxout(txid, 0))
        self.assertEqual(client.gettxout(mined["txid"], 0)["confirmations"], 3)
        unconfirmed = client.sendtoaddress(ADDRESS, 0.125)
        client.confirmconflict(unconfirmed)
        self.assertEqual(client.getrawmempool(), [])

    def test_is_silent_or_gone_on_request(self):
        _, listening, client = self.node("--fault", "silent")
        _, _, other = self.node("--blocks", "0")
        other.addnode(listening["address"], "onetry")
        self.wait_for(lambda: client.getconnectioncount() == 1)
        self.wait_for(lambda: [peer["version"] for peer in other.getpeerinfo()] == [0])
        client.setfault("")
        other.addnode(listening["address"], "onetry")
        self.agree(client, other)


if __name__ == "__main__":
    unittest.main()
