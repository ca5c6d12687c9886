"""The events of `petal sync --follow`."""

import json
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import sys
import time
import unittest

from petal_process import ADDRESS, LIMIT, FollowerTest, interrupt, silence

BITCOIN = 100_000_000


class FollowTest(FollowerTest):
    def test_tells_of_a_payment_from_its_announcement_to_its_block(self):
        follower = self.follow("--json")
        peer = self.next_event(follower, "peer", connected=True)
        self.assertEqual(peer["address"], self.address)
        progress = self.next_event(follower, "progress", phase="listening")
        self.assertEqual((progress["synced_height"], progress["waiting_for"]), (120, None))
        synced = self.next_event(follower, "synced")
        self.assertEqual(synced["height"], 120)
        self.assertEqual(synced["balance"]["total_sat"], 0)
        txid = self.pay(ADDRESS, 0.25)
        seen = self.next_event(follower, "transaction", txid=txid)
        self.assertIsNone(seen["height"])
        self.assertEqual((seen["received_sat"], seen["seen_from"]), (BITCOIN // 4, 1))
        mined = self.mine()
        self.assertEqual(self.next_event(follower, "headers")["hash"], mined["tip"])
        confirmed = self.next_event(follower, "transaction", txid=txid)
        self.assertEqual(confirmed["height"], mined["height"])
        synced = self.next_event(follower, "synced", height=mined["height"])
        self.assertEqual(synced["balance"]["confirmed_sat"], BITCOIN // 4)

    def test_tells_of_a_reorganisation(self):
        follower = self.follow("--json")
        txid = self.pay(ADDRESS, 1)
        mined = self.mine()
        self.next_event(follower, "transaction", txid=txid, height=mined["height"])
        self.next_event(follower, "synced", height=mined["height"])
        other = self.reorganise(1)
        told = self.next_event(follower, "reorg")
        self.assertEqual(told["from"], {"height": mined["height"], "hash": mined["tip"]})
        self.assertEqual((told["to"]["hash"], told["disconnected"]), (other["tip"], 1))
        self.next_event(follower, "transaction", txid=txid, height=None)

    def test_tells_of_a_payment_that_another_petal_makes(self):
        options = ["--blocks", "120", "--start-time", "1296689202", "--pay", f"{ADDRESS}=1"]
        (_, first), (_, second) = self.start_node(*options), self.start_node(*options)
        self.address = first["address"]
        follower = self.follow("--json")
        self.next_event(follower, "synced")
        foreign = "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx"
        sent = self.succeed("send", foreign, "0.1", "--yes", "--json", "--connect", second["address"]).json
        told = self.next_event(follower, "transaction", txid=sent["txid"])
        self.assertEqual((told["height"], told["seen_from"]), (None, 0))

    def test_says_once_why_a_node_cannot_be_reached(self):
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        follower = self.follow("--json")
        refused = self.next_event(follower, "peer", address=self.address)
        self.assertEqual((refused["connected"], refused["reason"], refused["detail"]),
                         (False, "unreachable", "connection refused"))
        time.sleep(1)  # time for some more attempts
        node, _ = self.start_node("--blocks", "120", "--port", str(port))
        self.next_event(follower, "synced")
        interrupt(node, signal.SIGTERM)
        gone = self.next_event(follower, "peer", connected=False)
        self.assertEqual(gone["reason"], "gone")
        self.next_event(follower, "peer", detail="connection refused")
        interrupt(follower)
        warning = f"warning: {self.address} can't be reached (connection refused); petal goes on trying"
        lines = self.finish(follower).err.splitlines()
        self.assertEqual([line for line in lines if line.startswith("warning")], [warning] * 2)

    def test_ends_soon_after_a_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            follower = self.follow("--json")
            self.next_event(follower, "synced")
            start = time.monotonic()
            interrupt(follower, number)
            result = self.finish(follower)
            self.assertLess(time.monotonic() - start, 10)
            self.assertEqual((result.status, result.err), (0, ""))
            last = [json.loads(line) for line in result.out.splitlines()][-1]
            self.assertEqual((last["event"], last["synced"]["height"]), ("ended", 120))

    def test_goes_on_under_nohup(self):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # processes that it starts inherit this
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        node, listening = self.start_node("--blocks", "120")
        self.address = listening["address"]
        follower = self.follow("--json")
        self.next_event(follower, "synced")
        node.send_signal(signal.SIGHUP)
        follower.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.mine(1, node)
        self.assertEqual(self.next_event(follower, "synced", height=121)["height"], 121)

    def test_says_the_same_in_words(self):
        follower = self.follow()
        lines = self.lines_until(follower, lambda line: "synced to block 120" in line)
        self.assertIn("payments are found by Bloom filters (the default", "\n".join(lines))
        txid = self.pay(ADDRESS, 0.25)
        # After the block that the node mines for it.
        told = self.lines_until(follower, lambda line: txid in line)[-1]
        self.assertIn(f"+0.25000000 BTC  {txid}  unconfirmed, seen from 1 peer", told)

    def test_gives_events_to_a_command(self):
        told = self.folder / "told"
        follower = self.follow("--notify", f"cat >> '{told}'", "--json")
        self.next_event(follower, "synced")
        txid = self.pay(ADDRESS, 0.25)
        self.next_event(follower, "transaction", txid=txid)
        self.wait_for(lambda: told.exists() and txid in told.read_text(), told.read_text)
        events = [json.loads(line) for line in told.read_text().splitlines()]
        self.assertEqual({event["event"] for event in events}, {"peer", "synced", "transaction"})
        self.assertEqual(self.run_petal("sync", "--notify", "true").status, 2)

    def test_stores_what_an_event_says_before_it_says_it(self):
        told = self.folder / "told"
        balance = " ".join(shlex.quote(word) for word in self.command("balance", "--json"))
        follower = self.follow("--notify", f"grep -q '\"synced\"' && {balance} >> '{told}'", "--json")
        for height in range(120, 125):  # faster than headers are written of their own accord
            self.next_event(follower, "synced", height=height)
            self.wait_for(lambda: told.exists() and told.read_text().count("\n") == height - 119)
            seen = json.loads(told.read_text().splitlines()[-1])
            self.assertEqual((seen["header_height"], seen["synced_height"], seen["synced"]), (height, height, True))
            self.mine()

    def test_sees_payments_to_addresses_that_are_handed_out_meanwhile(self):
        follower = self.follow("--json")
        self.next_event(follower, "synced")
        address = self.succeed("receive", "--new", "--label", "rent", "--json").json["address"]
        txid = self.pay(address, 0.5)
        seen = self.next_event(follower, "transaction", txid=txid)
        self.assertEqual((seen["label"], seen["addresses"]), ("rent", [address]))
        mined = self.mine()
        self.next_event(follower, "transaction", txid=txid, height=mined["height"])
        self.succeed("label", txid, "paid")
        self.assertEqual(self.succeed("tx", txid, "--json").json["label"], "paid")
        self.assertRegex(self.succeed("history").out, f"{txid}  paid\n")
        self.assertRegex(self.succeed("utxos").out, f"{txid}:[01]  rent\n")
        for refused in ("rescan",), ("delete", "--yes"), ("rename", "other", "--yes"):
            self.assert_fails(self.run_petal(*refused, "--json"), 4, "wallet-locked")
        self.assertIsNone(follower.poll())

    def test_answers_for_another_sync(self):
        follower = self.follow("--json")
        self.next_event(follower, "synced")
        result = self.succeed("sync", "--json").json
        self.assertTrue(result["by_other_process"])
        self.assertEqual((result["wallet"]["synced_height"], result["tip"]["height"]), (120, 120))
        late = self.run_petal("wait", "--address", ADDRESS, "--timeout", "0.5")
        self.assertEqual(late.status, 3)
        self.assertRegex(late.err, f"it has not happened .*: {ADDRESS} has received nothing, "
                                   "as of block 120 of 120")
        waiting = self.start("wait", "--address", ADDRESS, "--json")
        txid = self.pay(ADDRESS, 0.25)
        self.assertEqual(self.finish(waiting).json["received_sat"], BITCOIN // 4)
        self.next_event(follower, "transaction", txid=txid)
        self.assertRegex(self.succeed("sync").out, "synced to block 12. of regtest.*another petal")
        self.assert_fails(self.run_petal("sync", "--follow", "--json"), 4, "wallet-locked")

    def test_says_at_once_that_another_sync_is_stopped(self):
        follower = self.follow("--json")
        self.next_event(follower, "synced")
        follower.send_signal(signal.SIGSTOP)
        status = pathlib.Path(f"/proc/{follower.pid}/stat")
        self.wait_for(lambda: status.read_text().rsplit(") ", 1)[1].startswith("T"))
        for arguments in ["sync"], ["rescan"], ["rename", "other", "--yes"], ["wait", "--height", "121"]:
            result = self.run_petal("--json", *arguments)
            self.assert_fails(result, 4, "wallet-locked")
            self.assertIn(f"kill -CONT {follower.pid}", result.err)
        result = self.run_petal("sync", "--timeout", "1", "--json")
        self.assert_fails(result, 3, "timed-out")
        self.assertIn(f"is stopped (process {follower.pid})", result.err)
        follower.send_signal(signal.SIGCONT)
        self.succeed("sync")

    def test_does_not_take_another_stopped_process_for_the_sync(self):
        """A stopped `send`, for example, shares the lock of the processes that write the wallet."""
        follower = self.follow("--json")
        self.next_event(follower, "synced")
        lock = self.data / "regtest" / "wallets" / "default.db.lock"
        holder = "import fcntl, os, signal, sys; lock = open(sys.argv[1]); fcntl.flock(lock, fcntl.LOCK_SH)"
        stopped = subprocess.Popen([sys.executable, "-c", holder + "; os.kill(os.getpid(), signal.SIGSTOP)", lock])
        self.addCleanup(stopped.wait)
        self.addCleanup(stopped.kill)
        self.assertTrue(os.WIFSTOPPED(os.waitpid(stopped.pid, os.WUNTRACED)[1]))
        self.succeed("sync")
        result = self.run_petal("rescan", "--json")
        self.assert_fails(result, 4, "wallet-locked")
        self.assertIn(f"(process {follower.pid})", result.err)
        result = self.run_petal("rename", "other", "--yes", "--json")
        self.assert_fails(result, 4, "wallet-locked")
        self.assertIn(f"kill -CONT {stopped.pid}", result.err)

    def test_names_no_peer_before_the_command_for_events_can_run(self):
        server = self.start_server(silence)
        result = self.run_petal("sync", "--follow", "--connect", server.address, "--notify", "no-such-command", "--json")
        self.assert_fails(result, 1, "bad-command")
        self.assertIn("there is no command 'no-such-command'", result.err)
        self.assertFalse(server.connected.is_set())

    def test_takes_over_from_another_sync_that_ends(self):
        server = self.start_server(silence)
        first = self.start("sync", "--connect", server.address)
        self.assertTrue(server.connected.wait(30))
        second = self.start("sync", "--json", "--connect", self.address)
        self.assertIn("another petal is syncing this wallet", second.stderr.readline())
        interrupt(first)
        result = self.finish(second)
        self.assertEqual((result.status, result.json["by_other_process"]), (0, False))

    def test_ends_with_the_time_that_it_was_given(self):
        follower = self.follow("--json", "--timeout", "2")
        self.next_event(follower, "synced")
        result = self.finish(follower)
        last = [json.loads(line) for line in result.out.splitlines()][-1]
        self.assertEqual((result.status, last["event"], last["synced"]["height"]), (0, "ended", 120))

    def test_ends_when_its_output_is_closed_and_keeps_what_it_knows(self):
        follower = self.follow("--json")
        self.next_event(follower, "synced")
        follower.stdout.close()
        self.pay(ADDRESS, 0.25)
        self.assertNotEqual(follower.wait(timeout=LIMIT), 0)
        self.assertEqual(self.succeed("balance", "--json").json["height"], 120)

    def test_names_each_line_by_its_event(self):
        silent = self.start("sync", "--follow", "--json", "--connect", "127.0.0.1:1",
                            "--timeout", "1")
        lines = [json.loads(line) for line in self.finish(silent).out.splitlines()]
        self.assertTrue(all("event" in line for line in lines), lines)
        self.assertEqual((lines[-1]["event"], lines[-1]["error"]["code"]), ("error", "timed-out"))

    def test_is_refused_with_wait_unconfirmed(self):
        result = self.run_petal("sync", "--follow", "--wait-unconfirmed", "5", "--json")
        self.assert_fails(result, 2, "usage")


if __name__ == "__main__":
    unittest.main()
