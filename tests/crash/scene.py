"""A regtest node with a small chain, and wallets in every state whose ledgers are compared with its blocks."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli" / "end_to_end"))
from rpc_client import client_of, reorganise

WORDS = "abandon " * 11 + "about"
STRANGER = "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx"
STRANGER_UNPAID = "bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry"
START_TIME = "1296689202"  # ten minutes after regtest's genesis block
LIMIT = 60  # in seconds; the commands take less than one

FAULTLESS = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("PETAL_") and name != "LD_PRELOAD"
}


class Failure(Exception):
    """A result that must never occur."""


class Refusal(Exception):
    """A command that fails: its exit status, output and error lines."""


class Scene:
    """The node, and in `folder` the wallets that others are copied from:

    new      created, never synced
    half     synced to the middle of the chain
    left     synced to a branch that the chain has left, with a payment that is in a later block now
    synced   synced to its end
    """

    def __init__(self, petal, shim, folder):
        self.petal = petal
        self.shim = shim
        self.folder = pathlib.Path(folder)
        self.words = self.folder / "words"
        self.words.write_text(WORDS)
        self.password = self.folder / "password"
        self.password.write_text("correct horse")
        self.node = None

    def __enter__(self):
        arguments = ["regtest-node", "--port", "0", "--json", "--rpc", "0", "--start-time", START_TIME]
        self.node = subprocess.Popen(
            self.command(self.folder / "node", *arguments, "--blocks", "110"),
            stdout=subprocess.PIPE, text=True, env=FAULTLESS)
        listening = json.loads(self.node.stdout.readline())
        self.address, self.own_address = listening["address"], listening["own_address"]
        self.rpc = client_of(listening)
        self.make_wallets()
        self.truths = {None: {"total": 0, "coins": {}, "history": {}}}
        self.truth = self.truth_at(self.rpc.getbestblockhash())
        ledger = self.ledger(self.folder / "synced")
        if ledger != self.truth:
            raise Failure(f"without any fault: {ledger} is not {self.truth}")
        return self

    def __exit__(self, *_):
        self.rpc.close()
        self.node.terminate()
        self.node.wait(LIMIT)

    def mine(self, count):
        self.rpc.generatetoaddress(count, self.own_address)

    def command(self, data, *arguments):
        return [self.petal, "--datadir", str(data), "--network", "regtest", *arguments]

    def start(self, data, *arguments, fault=None, counts=None):
        variables = dict(FAULTLESS)
        if fault or counts:
            variables["LD_PRELOAD"] = self.shim
            variables["PETAL_FAULT_FOLDER"] = str(data)
            variables["PETAL_FAULT"] = fault or ""
            variables["PETAL_FAULT_COUNTS"] = str(counts or "")
            # AddressSanitizer need not be the first library.
            options = variables.get("ASAN_OPTIONS", "")
            variables["ASAN_OPTIONS"] = options + ":verify_asan_link_order=0"
        return subprocess.Popen(
            self.command(data, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=variables)

    def run(self, data, *arguments, fault=None, counts=None):
        """The exit status of a command, its output, and its error lines."""
        process = self.start(data, *arguments, fault=fault, counts=counts)
        out, errors = process.communicate(timeout=LIMIT)
        return process.returncode, out, errors

    def succeed(self, data, *arguments):
        status, out, errors = self.run(data, *dict.fromkeys([*arguments, "--json"]))
        if status != 0:
            raise Refusal(status, out, errors)
        return json.loads(out)

    def sync_command(self):
        return ["sync", "--json", "--connect", self.address]

    def sync(self, data):
        return self.succeed(data, *self.sync_command())

    def restore_command(self):
        return ["restore", "--json", "--mnemonic-file", str(self.words)]

    def encrypt_command(self):
        return ["encrypt", "--json", "--password-file", str(self.password)]

    def backup_command(self):
        return ["backup", "--json", str(self.folder / "copy" / "made.backup")]

    def restore_backup_command(self):
        return ["restore-backup", "--json", str(self.folder / "backup")]

    def import_command(self):
        return ["headers", "import", "--json", str(self.folder / "headers")]

    def receive_command(self):
        return ["receive", "--new", "--json"]

    def label_command(self):
        return ["label", "--json", self.reorganised, "rent"]

    def copy(self, state):
        """A copy of the wallet in this state."""
        data = self.folder / "copy"
        shutil.rmtree(data, ignore_errors=True)
        if state == "none":
            data.mkdir()
        else:
            shutil.copytree(self.folder / state, data)
        return data

    def make_wallets(self):
        """Pays the wallet and makes it pay, in some thirty blocks."""
        wallet = self.folder / "synced"
        self.succeed(wallet, *self.restore_command())
        shutil.copytree(wallet, self.folder / "new")
        for payment in range(8):
            address = self.succeed(wallet, "receive", "--new")["address"]
            self.rpc.sendtoaddress(address, f"0.{payment + 1}")
            self.mine(2)
            self.sync(wallet)
            if payment % 2 == 1:
                send = ["send", STRANGER, "0.15", "--yes", "--connect", self.address]
                self.succeed(wallet, *send)
                self.mine(1)
                self.sync(wallet)
            if payment == 3:
                shutil.copytree(wallet, self.folder / "half")
        address = self.succeed(wallet, "receive", "--new")["address"]
        self.reorganised = self.rpc.sendtoaddress(address, 1.5)
        self.mine(3)
        self.sync(wallet)
        shutil.copytree(wallet, self.folder / "left")
        self.left = list(self.branch_of(self.rpc.getbestblockhash()))
        reorganise(self.rpc, self.own_address, 3)
        self.mine(10)
        self.sync(wallet)
        self.secret = self.private_descriptors(wallet)
        self.succeed(wallet, "backup", str(self.folder / "backup"))
        self.succeed(wallet, "headers", "export", str(self.folder / "headers"))
        self.own = set()
        for arguments in ["addresses"], ["addresses", "--change"]:
            listed = self.succeed(wallet, *arguments)["addresses"]
            self.own |= {entry["address"] for entry in listed}

    def block_of(self, block_hash):
        return self.rpc.getblock(block_hash, 2)

    def truth_at(self, block_hash):
        """The ledger of the branch up to this block, computed from its blocks in the simplest way."""
        branch = []
        while block_hash not in self.truths:
            branch.append(self.block_of(block_hash))
            block_hash = branch[-1].get("previousblockhash")
        for block in reversed(branch):
            before = self.truths[block.get("previousblockhash")]
            self.truths[block["hash"]] = self.after_block(dict(before["coins"]), dict(before["history"]), block)
        return self.truths[branch[0]["hash"] if branch else block_hash]

    def branch_of(self, block_hash):
        """The hashes of this block and those below it."""
        while block_hash:
            yield block_hash
            block_hash = self.block_of(block_hash).get("previousblockhash")

    def after_block(self, coins, history, block):
        for transaction in block["tx"]:
            net = 0
            for spent in transaction["vin"]:
                coin = coins.pop(f"{spent.get('txid')}:{spent.get('vout')}", None)
                net -= coin[0] if coin else 0
            for output in transaction["vout"]:
                if output["scriptPubKey"].get("address") not in self.own:
                    continue
                value = round(output["value"] * 100_000_000)
                coins[f"{transaction['txid']}:{output['n']}"] = (value, block["height"])
                net += value
            if net:
                history[transaction["txid"]] = (block["height"], net)
        return {"total": sum(value for value, _ in coins.values()), "coins": coins, "history": history}

    def ledger(self, data, balance=None, *wallet):
        """The ledger that the wallet reports, with the balance of a sync if it is given."""
        balance = balance or self.succeed(data, *wallet, "balance")
        coins = self.succeed(data, *wallet, "utxos")["utxos"]
        history = self.succeed(data, *wallet, "history")["transactions"]
        return {
            "total": balance["total_sat"],
            "coins": {f"{c['txid']}:{c['vout']}": (c["amount_sat"], c["height"]) for c in coins},
            "history": {entry["txid"]: (entry["height"], entry["net_sat"]) for entry in history},
        }

    def check_ledger(self, data, after, balance=None, *wallet):
        ledger = self.ledger(data, balance, *wallet)
        if ledger != self.truth:
            raise Failure(f"{after}: {ledger} is not {self.truth}")

    def check_ledger_so_far(self, data, after):
        """Expects the true ledger of the blocks that the wallet has searched. A payment whose block has left the chain
        may be unconfirmed, or still confirmed: a reorganisation first lowers the height of the last searched block. If
        all blocks are to be searched again, all payments stay, or may be unconfirmed."""
        tip = self.succeed(data, "info")["tip"]
        shown = self.ledger(data)
        if not tip and self.is_truth_to_be_searched(shown):
            return
        truth = self.truth_at(tip["hash"] if tip else None)
        if tip and tip["hash"] in self.left and shown == self.truth_at(self.left[0]):
            return
        pending = {txid: (None, net) for txid, (height, net) in shown["history"].items() if height is None}
        late = {coin: value for coin, value in shown["coins"].items() if value[1] is None}
        expected = {
            "total": truth["total"] + sum(net for _, net in pending.values()),
            "coins": truth["coins"] | late,
            "history": truth["history"] | pending,
        }
        may_be_pending = {self.reorganised} if tip else self.truth["history"].keys()
        is_known = pending.keys() <= may_be_pending and sum(value for value, _ in late.values()) == sum(
            net for _, net in pending.values())
        if shown != expected or not is_known:
            raise Failure(f"{after}, before the next sync: {shown} is not {expected}")

    def is_truth_to_be_searched(self, shown):
        """Whether this is the true ledger. During a rescan, transactions stay confirmed, and coins count as unconfirmed."""
        def amounts(ledger):
            return {coin: value for coin, (value, _) in ledger["coins"].items()}
        same = all(shown[part] == self.truth[part] for part in ("total", "history"))
        return same and amounts(shown) == amounts(self.truth)

    def private_descriptors(self, data, *options):
        """The descriptors with private keys; None if the wallet is encrypted, and no password is given."""
        out = self.run(data, "info", "--private", "--yes", "--json", *options)[1]
        return json.loads(out).get("private_descriptors")

    def belongings(self, data):
        """What a wallet has besides its ledger."""
        private = self.succeed(data, "info", "--private", "--yes")["private_descriptors"]
        listed = [self.succeed(data, "addresses", *change)["addresses"] for change in ([], ["--change"])]
        addresses = [[(entry["address"], entry["path"]) for entry in entries] for entries in listed]
        return private, addresses, self.succeed(data, "receive")["address"]

    def check_seed(self, data, after, *wallet):
        with_password = ["--password-file", str(self.password)]
        if self.secret not in [self.private_descriptors(data, *wallet, *options) for options in ([], with_password)]:
            raise Failure(f"{after}: the seed is lost")

    @staticmethod
    def check_refusal(status, out, errors, after, statuses=(1, 5)):
        """Expects one of the exit statuses, the error as JSON, and one line that describes the error."""
        lines = [line for line in errors.splitlines() if line.startswith("error: ")]
        if status not in statuses or len(lines) != 1:
            raise Failure(f"{after}: status {status}: {errors or out}")
        if "error" not in json.loads(out):
            raise Failure(f"{after}: no error in {out}")
