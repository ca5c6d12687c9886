"""`send`, killed before each of its system calls that change a file or reach a peer.

strace kills it; the tests are skipped if strace is missing or may not trace. By default, the process is
killed where files are synced, cut or removed and where data are sent; with PETAL_KILLS=all, also before
each write to a file.
"""

import os
import shutil
import subprocess
import unittest

from petal_process import ADDRESS, PetalTest, environment

PAYEE = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
STEPS = ["fdatasync", "fsync", "ftruncate", "unlink", "connect", "sendto", "sendmsg"]
if os.environ.get("PETAL_KILLS") == "all":
    STEPS += ["pwrite64", "write"]
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
        self.node, listening = self.start_node("--control", "--pay", ADDRESS, "--pay", ADDRESS)
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

    def send_killed_at(self, call, count):
        """Returns whether the process was killed before its `count`-th call of this kind."""
        traced = subprocess.run(
            ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}"]
            + ["-e", f"inject={call}:signal=SIGKILL:when={count}", *self.send("0.3")],
            # LeakSanitizer cannot run in a process that is traced already.
            env=environment(ASAN_OPTIONS="detect_leaks=0"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertIn(traced.returncode, (0, -9, 137), traced.stderr)
        return traced.returncode != 0

    def history(self):
        return {entry["txid"]: entry for entry in self.json_of("history")["transactions"]}

    def json_of(self, *arguments):
        return self.succeed(*arguments, "--json").json

    def inputs_of(self, txid):
        return {(each["txid"], each["vout"]) for each in self.json_of("tx", txid)["inputs"]}

    def check_what_is_left(self):
        """The wallet knows what was sent, spends no coin twice, and announces the payments that it kept."""
        pool = set(self.ask("getrawmempool")["result"])
        before = self.history()
        kept = {txid for txid, entry in before.items() if entry["height"] is None}
        self.assertLessEqual(len(kept), 1)
        self.assertLessEqual(pool, kept, "what a peer has is in the wallet")
        left = 2 * PAID + sum(before[txid]["net_sat"] for txid in kept)
        self.assertEqual(self.json_of("balance")["total_sat"], left)

        # All coins are on one address, so `send` spends the change of the payment that was kept.
        again = self.json_of("send", PAYEE, "0.3", "--yes", *self.connect)
        spent = [self.inputs_of(txid) for txid in (*kept, again["txid"])]
        self.assertEqual(len(set().union(*spent)), sum(map(len, spent)), "spent twice")
        self.assertEqual(set(self.ask("getrawmempool")["result"]), kept | {again["txid"]})
        return kept, pool

    def state_when_killed_at(self, call, count):
        """Whether the wallet kept the payment, and whether a peer got it; None if the process was not killed."""
        shutil.rmtree(self.data)
        shutil.copytree(self.folder / "synced", self.data)
        self.start_chain()
        state = None
        if self.send_killed_at(call, count):
            kept, pool = self.check_what_is_left()
            state = bool(kept), bool(pool)
        self.end(self.node)
        return state

    def test_is_known_and_spends_nothing_twice_wherever_it_is_killed(self):
        reached = set()
        for call in STEPS:
            for count in range(1, MOST_CALLS + 1):
                try:
                    state = self.state_when_killed_at(call, count)
                except Exception as error:
                    raise AssertionError(f"killed at {call} number {count}") from error
                if state is None:
                    break
                reached.add(state)
            else:
                self.fail(f"more than {MOST_CALLS} of {call}")
        self.assertIn((False, False), reached, "killed before it was kept")
        self.assertIn((True, False), reached, "killed before it was announced")


if __name__ == "__main__":
    unittest.main()
