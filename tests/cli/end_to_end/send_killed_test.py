"""`send`, killed before each of its system calls that sync, cut or remove a file or reach a peer, and with each of the
former failing.

strace injects the kills and failures; the tests are skipped if strace is missing or may not trace. With
PETAL_KILLS=all, `send` is killed before each of its writes to a file, too, and each finds a full disk.
"""

import json
import os
import shutil
import subprocess
import unittest

from petal_process import ADDRESS, PAYEE, PetalTest, environment

KILL = "signal=SIGKILL"
ON_DISK = ["fdatasync", "fsync", "ftruncate", "unlink"]
FAULTS = [(call, KILL) for call in [*ON_DISK, "connect", "sendto", "sendmsg"]]
FAULTS += [(call, "error=EIO") for call in ON_DISK]
if os.environ.get("PETAL_KILLS") == "all":
    FAULTS += [(call, fault) for call in ("pwrite64", "write") for fault in (KILL, "error=ENOSPC")]
MOST_CALLS = 200  # of each kind; `send` makes at most 32
PAID = 100_000_000  # satoshi, in each of two coins


def can_trace():
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], check=False).returncode == 0


@unittest.skipUnless(can_trace(), "strace is missing, or may not trace")
class SendKilledTest(PetalTest):
    def start_chain(self):
        """Starts a node with an empty mempool and the chain that the wallet is synced to."""
        self.node, listening = self.start_node("--pay", ADDRESS, "--pay", ADDRESS)
        self.connect = ["--connect", "127.0.0.1:%d" % listening["port"]]

    def setUp(self):
        super().setUp()
        self.restore("--type", "wpkh")
        self.start_chain()
        self.succeed("sync", *self.connect)
        self.end(self.node)
        shutil.copytree(self.data, self.folder / "synced")

    def send(self, *arguments):
        return self.command("send", PAYEE, *arguments, "--yes", "--json", *self.connect)

    def is_sent_with(self, call, fault, count):
        """Sends with the fault at the `count`-th call of this kind. Returns whether there was such a call."""
        trace = self.folder / "trace"
        traced = subprocess.run(
            ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={call}"]
            + ["-e", f"inject={call}:{fault}:when={count}", *self.send("0.3")],
            # LeakSanitizer cannot run in a process that is traced already.
            env=environment(ASAN_OPTIONS="detect_leaks=0"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if fault == KILL:
            self.assertIn(traced.returncode, (0, -9, 137), traced.stderr)
            return traced.returncode != 0
        self.assertIn(traced.returncode, (0, 1, 5), traced.stderr)
        if traced.returncode != 0:
            self.assertTrue(json.loads(traced.stdout)["error"]["message"])
        return "(INJECTED)" in trace.read_text()

    def history(self):
        return {entry["txid"]: entry for entry in self.json_of("history")["transactions"]}

    def json_of(self, *arguments):
        return self.succeed(*arguments, "--json").json

    def inputs_of(self, txid):
        return {(each["txid"], each["vout"]) for each in self.json_of("tx", txid)["inputs"]}

    def check_what_is_left(self):
        """The wallet knows what was sent, spends no coin twice, and announces the payments that it kept."""
        pool = set(self.node.rpc.getrawmempool())
        before = self.history()
        kept = {txid for txid, entry in before.items() if entry["height"] is None}
        self.assertLessEqual(len(kept), 1)
        self.assertLessEqual(pool, kept, "what a peer has is in the wallet")
        left = 2 * PAID + sum(before[txid]["net_sat"] for txid in kept)
        self.assertEqual(self.json_of("balance")["total_sat"], left)

        if pool:
            # A node without the payment requests the payment at once. A node that has the payment is asked for the
            # payment seconds later.
            self.end(self.node)
            self.start_chain()
        # The change of a payment is not spent before a node has shown the payment.
        for txid in kept:
            self.succeed("broadcast", self.json_of("tx", txid)["hex"], *self.connect)
        # All coins are on one address, so `send` spends the change of the payment that was kept.
        again = self.json_of("send", PAYEE, "0.3", "--yes", *self.connect)
        spent = [self.inputs_of(txid) for txid in (*kept, again["txid"])]
        self.assertEqual(len(set().union(*spent)), sum(map(len, spent)), "spent twice")
        self.assertEqual(set(self.node.rpc.getrawmempool()), kept | {again["txid"]})
        return kept, pool

    def state_after(self, call, fault, count):
        """Whether the wallet kept the payment, and whether a peer got it; None if there was no such call."""
        shutil.rmtree(self.data)
        shutil.copytree(self.folder / "synced", self.data)
        self.start_chain()
        state = None
        if self.is_sent_with(call, fault, count):
            kept, pool = self.check_what_is_left()
            state = bool(kept), bool(pool)
        self.end(self.node)
        return state

    def test_is_known_and_spends_nothing_twice_wherever_it_fails(self):
        reached = {KILL: set(), "error=EIO": set(), "error=ENOSPC": set()}
        for call, fault in FAULTS:
            for count in range(1, MOST_CALLS + 1):
                try:
                    state = self.state_after(call, fault, count)
                except Exception as error:
                    raise AssertionError(f"{fault} at {call} number {count}") from error
                if state is None:
                    break
                reached[fault].add(state)
            else:
                self.fail(f"more than {MOST_CALLS} of {call}")
        self.assertIn((False, False), reached[KILL], "killed before it was kept")
        self.assertIn((True, False), reached[KILL], "killed before it was announced")
        self.assertIn((False, False), reached["error=EIO"], "failed before it was kept")


if __name__ == "__main__":
    unittest.main()
