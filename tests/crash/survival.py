"""Kills and faults at every point of a sync, and damaged files; see README.md. --help shows how to run it."""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time

from scene import Failure, Refusal, STRANGER_UNPAID, Scene

KINDS = {
    "open": ("EIO", "ENOSPC", "kill"),
    "write": ("EIO", "ENOSPC", "full", "short", "kill", "torn"),
    "sync": ("EIO", "ENOSPC", "kill"),
    "name": ("EIO", "ENOSPC", "kill"),
    "truncate": ("EIO", "kill"),
    "unlink": ("EIO", "kill"),
}
# The stored data of a wallet: the files of a synced folder.
FILES = ("headers.dat", "wallets/default.db", "wallets/default.db.filter-hosts")
# A changed version or network makes a file that is sound, but not for this petal or this network: status 1.
FOREIGN = re.compile("was made by a later petal|was written by a newer version of petal|is of the network")


class Survival:
    def __init__(self, scene, every, seed):
        self.scene = scene
        self.every = every
        self.random = random.Random(seed)
        self.counts = scene.folder / "counts"
        self.table = collections.defaultdict(collections.Counter)
        self.known = {}  # what the wallet of each state has, besides its ledger
        self.spared = 0  # runs whose fault never came, as they made fewer calls than the first

    def run(self, options):
        if options.every:
            scene = self.scene
            self.inject("none", scene.restore_command(), "restore", self.restore_again)
            self.inject("new", scene.sync_command(), "first sync", self.read_report)
            self.inject("half", scene.sync_command(), "later sync", self.read_report)
            self.inject("left", scene.sync_command(), "reorganisation", self.read_report)
            self.inject("synced", scene.encrypt_command(), "encrypt", self.try_without_password)
            self.inject("synced", scene.backup_command(), "backup", self.restore_backup)
            self.inject("none", scene.restore_backup_command(), "restore-backup", self.restore_again)
            self.inject("new", scene.import_command(), "import headers")
            self.inject("synced", scene.receive_command(), "receive", self.find_address)
            self.inject("synced", scene.label_command(), "label", self.find_label)
            self.inject("synced", ["rescan", "--json"], "rescan")
            self.inject("synced", ["import", "--json", STRANGER_UNPAID], "import")
            self.inject("synced", ["headers", "reset", "--yes", "--json"], "headers reset")
            self.inject("synced", ["rename", "other", "--yes", "--json"], "rename", self.find_or_restore)
            self.inject("synced", ["delete", "--yes", "--json"], "delete", self.find_or_restore)
        self.kill_at_random(options.kills)
        self.flip_bits(options.flips)

    def note(self, what, outcome):
        self.table[what][outcome] += 1

    def finish(self, data, after):
        """Whatever happened before, the wallet shows the true ledger of the blocks that it has searched. The next sync
        must succeed and end with the true ledger, and the seed is there."""
        try:
            self.scene.check_ledger_so_far(data, after)
            report = self.scene.sync(data)
            self.scene.check_ledger(data, after, report["balance"])
            self.scene.check_seed(data, after)
        except Refusal as refusal:
            raise Failure(f"{after}: then refused: {refusal}") from refusal

    def kill_at_random(self, kills):
        """Kills one to six syncs in a row at random moments. The sync after them must end with the true ledger."""
        data, begin = self.scene.copy("new"), time.monotonic()
        self.scene.sync(data)
        longest = 1.2 * (time.monotonic() - begin)
        done = 0
        while done < kills:
            data = self.scene.copy("new")
            for _ in range(self.random.randint(1, 6)):
                process = self.scene.start(data, *self.scene.sync_command())
                time.sleep(self.random.uniform(0, longest))
                process.kill()
                process.communicate()
                done += process.returncode < 0
                self.note("kill -9, sync, at random", "killed" if process.returncode < 0 else "was done")
                self.scene.check_ledger_so_far(data, f"kill -9 at random, {done}")
            self.finish(data, f"kill -9 at random, {done}")
            self.note("kill -9, sync, at random", "exact ledger after the last")

    def inject(self, state, arguments, name, check=None):
        """Every call of the command fails or ends the process, once for each kind of fault. Then `check` is called with
        the folder, the command, its output (None if it failed) and what has happened."""
        data = self.scene.copy(state)
        status, out, errors = self.scene.run(data, *arguments, counts=self.counts)
        if status != 0:
            raise Failure(f"{name} without a fault: {errors or out}")
        numbers = self.read_counts()
        faults = [
            f"{call}:{number}:{kind}"
            for call, kinds in KINDS.items()
            for number in range(1, numbers[call] + 1)
            for kind in kinds
        ]
        chosen = faults[self.random.randrange(max(1, min(self.every, len(faults)))) :: self.every]
        for fault in chosen:
            self.inject_one(state, arguments, name, fault, check)
        if not numbers["write"]:
            raise Failure(f"{name} writes nothing: the faults do not reach it")
        if self.spared > max(1, len(chosen) // 20):
            raise Failure(f"{name}: {self.spared} of {len(chosen)} faults were not reached")
        self.spared = 0
        self.inject_one(state, arguments, name, "open:0:EROFS", check)

    def read_counts(self):
        """How often the last command made each call."""
        return {call: int(count) for call, count in map(str.split, self.counts.read_text().splitlines())}

    def inject_one(self, state, arguments, name, fault, check):
        after = f"{name}, {fault}"
        data = self.scene.copy(state)
        status, out, errors = self.scene.run(data, *arguments, fault=fault, counts=self.counts)
        call, number, kind = fault.split(":")
        what = f"{name}: {call} {kind}"
        if status == 0 and self.read_counts()[call] < int(number):
            self.spared += 1
            self.note(what, "made fewer calls")
        elif status == 0:
            self.note(what, "done")
        elif status == -9 and kind in ("kill", "torn"):
            self.note(what, "killed")
        else:
            self.scene.check_refusal(status, out, errors, after)
            self.note(what, f"refused, status {status}")
            names = [wallet["wallet"] for wallet in self.scene.succeed(data, "wallets")["wallets"]]
            if names != ([] if state == "none" else ["default"]) and name != "delete":
                raise Failure(f"{after}: it was refused, and there are the wallets {names}")
        if check:
            check(data, arguments, json.loads(out) if status == 0 else None, after)
        self.finish(data, after)
        self.note(what, "then exact")

    def read_report(self, data, _, done, after):
        """A sync that is done has come to the end of the chain, and says what the wallet holds."""
        if done:
            self.scene.check_ledger(data, after, done["balance"])

    def restore_again(self, data, arguments, _, after):
        """The wallet either exists completely, or it does not and can be restored."""
        status, out, errors = self.scene.run(data, *arguments)
        if status == 0 or json.loads(out)["error"]["code"] == "wallet-exists":
            return
        raise Failure(f"{after}: it cannot be restored again: {errors or out}")

    def try_without_password(self, data, _, done, after):
        """A wallet that is said to be encrypted needs its password."""
        if done and self.scene.private_descriptors(data) is not None:
            raise Failure(f"{after}: the seed is not encrypted")

    def restore_backup(self, data, arguments, done, after):
        """A backup that is there is whole."""
        made = pathlib.Path(arguments[-1])
        if made.exists():
            second = ["--wallet", "second"]
            self.scene.succeed(data, *second, "restore-backup", str(made))
            self.scene.check_ledger(data, after, None, *second)
            self.scene.check_seed(data, after, *second)
        elif done:
            raise Failure(f"{after}: there is no backup")

    def find_address(self, data, _, done, after):
        """The wallet knows an address that it has shown."""
        listed = self.scene.succeed(data, "addresses")["addresses"]
        if done and done["address"] not in [entry["address"] for entry in listed if entry["handed_out"]]:
            raise Failure(f"{after}: the address {done['address']} is unknown")

    def find_label(self, data, arguments, done, after):
        *_, txid, text = arguments
        label = self.scene.succeed(data, "tx", txid)["label"]
        if label != text if done else label not in ("", text):
            raise Failure(f"{after}: the label is {label!r}")

    def find_or_restore(self, data, arguments, done, after):
        """There is one wallet, of the old or the new name, or none. Brings it back to its old name."""
        names = [wallet["wallet"] for wallet in self.scene.succeed(data, "wallets")["wallets"]]
        after_it = ["other"] if "rename" in arguments else []
        if names != after_it and (done or names != ["default"]):
            raise Failure(f"{after}: there are the wallets {names}")
        if names == ["other"]:
            self.scene.succeed(data, "--wallet", "other", "rename", "default", "--yes")
        elif not names:
            self.scene.succeed(data, *self.scene.restore_command())

    def flip_bits(self, samples):
        """One bit of a wallet's files is flipped, before it is synced to the end or afterwards: the commands show the
        true ledger, the addresses and the seed, or refuse."""
        for state in "synced", "half":
            self.known[state] = self.scene.belongings(self.scene.copy(state))
            for file in FILES:
                content = (self.scene.folder / state / "regtest" / file).read_bytes()
                # Most zeros are free space.
                zeros = [place for place, byte in enumerate(content) if not byte]
                used = [place for place, byte in enumerate(content) if byte]
                for places, count in (zeros, samples // 8), (used, samples // 2 - samples // 8):
                    for place in self.random.sample(places, min(count, len(places))):
                        self.flip(state, file, place, 1 << self.random.randrange(8))

    def flip(self, state, file, place, bit):
        after = f"{file}, byte {place} ^ {bit}, {state}"
        what = f"flipped bit: {file.rpartition('/')[2]}"
        data = self.scene.copy(state)
        with open(data / "regtest" / file, "r+b") as stream:
            stream.seek(place)
            byte = stream.read(1)[0]
            stream.seek(place)
            stream.write(bytes([byte ^ bit]))
        try:
            if state == "synced":
                self.scene.check_ledger(data, after)
            if self.scene.belongings(data) != self.known[state]:
                raise Failure(f"{after}: there are other addresses, or another seed")
            report = self.scene.sync(data)
            self.scene.check_ledger(data, after, report["balance"])
        except Refusal as refusal:
            status, _, errors = refusal.args
            self.scene.check_refusal(*refusal.args, after, {1} if FOREIGN.search(errors) else {5})
            self.note(what, f"refused, status {status}")
            return
        self.note(what, "exact ledger")

    def print_table(self):
        for what, outcomes in self.table.items():
            told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
            print(f"{what:34} {told}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("petal", help="the command")
    parser.add_argument("shim", help="the library petal_fault_shim")
    parser.add_argument("--kills", type=int, default=1000, help="kill so many syncs at random (default: 1000)")
    parser.add_argument("--every", type=int, default=1, help="try every N-th fault (default: 1, all; 0: none)")
    parser.add_argument("--flips", type=int, default=2000, help="flip so many bits of each file (default: 2000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="petal-crash-")
    try:
        with Scene(os.path.abspath(options.petal), os.path.abspath(options.shim), folder) as scene:
            survival = Survival(scene, options.every, options.seed)
            try:
                survival.run(options)
            finally:
                survival.print_table()
    except (Failure, Refusal) as failure:
        print(f"FAILED, files in {folder}: {failure}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
