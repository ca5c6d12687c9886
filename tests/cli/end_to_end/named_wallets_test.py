"""Wallets by name, with the same assertions for petal-bitcoind and, if BITCOIND names one, for the real bitcoind."""

import os
import subprocess
import time
import unittest
import urllib.parse

from bitcoind_node import BITCOIND, Node
from core_node import BITCOIND as CORE
from petal_process import LIMIT, PetalTest
from rpc_client import RpcClient, RpcError, free_ports

FOREIGN = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"
PROGRAMS = [BITCOIND, *([CORE] if CORE else [])]


class WalletNode:
    """A running node, and clients for its wallets."""

    def __init__(self, test, program, folder, *options):
        self.test = test
        self.program = program
        [rpc_port] = free_ports(1)
        process = subprocess.Popen(
            [program, "-regtest", f"-datadir={folder}", "-listen=0", "-connect=0", f"-rpcport={rpc_port}",
             "-fallbackfee=0.0002", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(test.end, process)
        self.node = Node(process, folder, rpc_port)
        self.node.wait_for_line("init message: Done loading$")
        self.rpc = self.client("/")

    def client(self, path):
        credentials = (self.node.folder / ".cookie").read_text(encoding="ascii")
        client = RpcClient(self.node.rpc_port, credentials, path)
        self.test.addCleanup(client.close)
        return client

    def wallet(self, name):
        return self.client("/wallet/" + urllib.parse.quote(name, safe=""))

    def create(self, name, *arguments):
        self.rpc.createwallet(name, *arguments)
        return self.wallet(name)

    def funded(self, name="w"):
        """A wallet with one mature coinbase."""
        wallet = self.create(name)
        self.rpc.generatetoaddress(1, wallet.getnewaddress())
        self.rpc.generatetoaddress(100, FOREIGN)
        return wallet

    def stop(self):
        self.rpc.stop()
        assert self.node.end() == 0


class NamedWalletsTest(PetalTest):
    def run_with_each(self, check, *options):
        """Calls `check` with a node of each program, on a folder of its own."""
        for number, program in enumerate(PROGRAMS):
            with self.subTest(os.path.basename(program)):
                folder = self.folder / f"data{number}"
                folder.mkdir()
                check(WalletNode(self, program, folder, *options))

    def assert_refused(self, code, message, call, *arguments):
        with self.assertRaises(RpcError) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.code, code, caught.exception)
        self.assertIn(message, str(caught.exception))

    def test_wallets_have_names(self):
        def check(node):
            rpc = node.rpc
            self.assert_refused(-18, "No wallet is loaded", rpc.getbalance)
            self.assertEqual(rpc.createwallet("one")["name"], "one")
            self.assertEqual(rpc.call("createwallet", "two", False, False, "", False, True, False)["name"], "two")
            self.assertEqual(rpc.listwallets(), ["one", "two"])
            self.assertEqual(sorted(entry["name"] for entry in rpc.listwalletdir()["wallets"]), ["one", "two"])
            self.assert_refused(-19, "Multiple wallets", rpc.getbalance)
            self.assertEqual(node.wallet("one").getbalance(), 0)
            self.assert_refused(-18, "does not exist or is not loaded", node.wallet("three").getbalance)
            self.assert_refused(-36, "already exists", rpc.createwallet, "one")
            self.assert_refused(-35, "already loaded", rpc.loadwallet, "one")
            self.assert_refused(-18, "Path does not exist", rpc.loadwallet, "three")
            self.assert_refused(-8, "Wallet name cannot be empty", rpc.createwallet, "")
            self.assert_refused(-4, "descriptors argument", rpc.createwallet, "x", False, False, "", False, False)
            self.assertEqual(rpc.unloadwallet("one"), {})
            self.assertEqual(rpc.listwallets(), ["two"])
            self.assertEqual(rpc.getwalletinfo()["walletname"], "two")
            self.assert_refused(-18, "not loaded", rpc.unloadwallet, "one")
            self.assert_refused(-8, "Either the RPC endpoint", rpc.unloadwallet)
            self.assertEqual(rpc.loadwallet("one")["name"], "one")
            self.assert_refused(-8, "specify different wallets", node.wallet("one").unloadwallet, "two")
            self.assertEqual(node.wallet("one").unloadwallet(), {})
            spaced = node.create("a b/c%20")
            self.assertEqual(spaced.getwalletinfo()["walletname"], "a b/c%20")
        self.run_with_each(check)

    def test_hostile_names_make_no_files(self):
        def check(node):
            for name in "../up", "a/../../up", "..", ".", "./here", "x" * 10_000, "nul\0byte":
                with self.subTest(name[:20]), self.assertRaises(RpcError):
                    node.rpc.createwallet(name)
                with self.subTest(name[:20]), self.assertRaises(RpcError):
                    node.rpc.loadwallet(name)
            self.assertEqual(node.rpc.listwallets(), [])
            self.assertEqual(sorted(path.name for path in self.folder.rglob("up")), [])
            for wrong in 1, None, [], {}:
                self.assert_refused(-3, "is not of expected type string", node.rpc.createwallet, wrong)
        self.run_with_each(check)

    def test_absolute_names_are_refused(self):
        folder = self.folder / "data"
        folder.mkdir()
        node = WalletNode(self, BITCOIND, folder)
        outside = self.folder / "outside"
        self.assert_refused(-4, "must be relative", node.rpc.createwallet, str(outside))
        self.assertFalse(outside.exists())

    def test_coinbases_count_after_a_hundred_more_blocks(self):
        def check(node):
            wallet = node.create("w")
            node.rpc.generatetoaddress(1, wallet.getnewaddress())
            node.rpc.generatetoaddress(99, FOREIGN)
            self.assertEqual(wallet.getbalance(), 0)
            self.assertEqual(wallet.listunspent(), [])
            balances = wallet.getbalances()
            self.assertEqual(balances["mine"], {"trusted": 0, "untrusted_pending": 0, "immature": 50, "nonmempool": 0})
            self.assertEqual(balances["lastprocessedblock"]["height"], 100)
            self.assert_refused(-6, "Insufficient funds", wallet.sendtoaddress, FOREIGN, 1)
            node.rpc.generatetoaddress(1, FOREIGN)
            self.assertEqual(wallet.getbalance(), 50)
            [coin] = wallet.listunspent()
            self.assertEqual((coin["amount"], coin["confirmations"], coin["safe"], coin["label"]), (50, 101, True, ""))
        self.run_with_each(check)

    def test_addresses_are_new_and_of_all_types(self):
        def check(node):
            wallet = node.create("w")
            seen = set()
            for kind, beginning in ("bech32", "bcrt1q"), ("bech32m", "bcrt1p"), ("p2sh-segwit", "2"), ("legacy", ""):
                for call in (lambda k: wallet.getnewaddress("", k)), wallet.getrawchangeaddress:
                    for _ in range(3):
                        address = call(kind)
                        self.assertTrue(address.startswith(beginning))
                        self.assertTrue(node.rpc.validateaddress(address)["isvalid"])
                        seen.add(address)
            self.assertEqual(len(seen), 24)
            self.assertTrue(wallet.getnewaddress().startswith("bcrt1q"))
            self.assert_refused(-5, "Unknown address type 'bech33'", wallet.getnewaddress, "", "bech33")
            self.assert_refused(-11, "Invalid label name", wallet.getnewaddress, "*")
            self.assert_refused(-3, "not of expected type", wallet.getnewaddress, 5)
        self.run_with_each(check)

    def test_pays_from_every_type(self):
        def check(node):
            wallet = node.create("w")
            for kind in "bech32", "bech32m", "p2sh-segwit", "legacy":
                node.rpc.generatetoaddress(1, wallet.getnewaddress("from " + kind, kind))
            node.rpc.generatetoaddress(100, FOREIGN)
            coins = wallet.listunspent()
            self.assertEqual(sorted(coin["label"] for coin in coins),
                             ["from bech32", "from bech32m", "from legacy", "from p2sh-segwit"])
            for coin in coins:
                self.assertTrue(coin["solvable"])
                derived = node.rpc.deriveaddresses(coin["desc"])
                self.assertEqual(derived, [coin["address"]])
                self.assertEqual(node.rpc.getdescriptorinfo(coin["desc"])["descriptor"], coin["desc"])
                self.assertEqual(len(coin["parent_descs"]), 1)
                self.assertIn("/0/*", coin["parent_descs"][0])
            txid = wallet.call("sendtoaddress", FOREIGN, "199", "", "", False, True, None, "unset", None, 2)
            self.assertEqual(len(node.rpc.getrawtransaction(txid, 1)["vin"]), 4)
            node.rpc.generatetoaddress(1, FOREIGN)
            sent = wallet.gettransaction(txid)
            self.assertEqual((sent["amount"], sent["confirmations"]), (-199, 1))
        self.run_with_each(check, "-txindex")

    def test_payments_are_told_whole(self):
        def check(node):
            wallet = node.funded()
            txid = wallet.sendtoaddress(FOREIGN, "1.5", "for tea", "to a friend")
            self.assertEqual(node.rpc.getrawmempool(), [txid])
            unconfirmed = wallet.gettransaction(txid)
            self.assertEqual((unconfirmed["amount"], unconfirmed["confirmations"], unconfirmed["trusted"],
                              unconfirmed["comment"]), (-1.5, 0, True, "for tea"))
            self.assertLess(unconfirmed["fee"], 0)
            [detail] = unconfirmed["details"]
            self.assertEqual((detail["address"], detail["category"], detail["amount"], detail["fee"]),
                             (FOREIGN, "send", -1.5, unconfirmed["fee"]))
            self.assertEqual(unconfirmed["hex"], node.rpc.getrawtransaction(txid))
            self.assertEqual(wallet.getbalance(), round(50 - 1.5 + unconfirmed["fee"], 8))
            [change] = wallet.listunspent(0)
            self.assertTrue(change["safe"])
            self.assertNotIn("label", change)
            self.assertEqual((change["ancestorcount"], change["txid"]), (1, txid))
            [block] = node.rpc.generatetoaddress(1, FOREIGN)
            confirmed = wallet.gettransaction(txid, True, True)
            self.assertEqual((confirmed["confirmations"], confirmed["blockhash"], confirmed["blockheight"],
                              confirmed["blockindex"]), (1, block, 102, 1))
            self.assertEqual(confirmed["hex"], unconfirmed["hex"])
            self.assertEqual(confirmed["decoded"]["txid"], txid)
            self.assertTrue({"walletconflicts", "mempoolconflicts", "time", "timereceived", "wtxid", "blocktime",
                             "lastprocessedblock", "details"} <= set(confirmed))
            self.assert_refused(-5, "Invalid or non-wallet transaction id", wallet.gettransaction, "00" * 32)
            self.assert_refused(-8, "must be of length 64", wallet.gettransaction, "00")
        self.run_with_each(check, "-txindex")

    def test_incoming_payments_are_seen_at_once(self):
        def check(node):
            payer = node.funded("payer")
            payee = node.create("payee")
            address = payee.getnewaddress("rent")
            txid = payer.sendtoaddress(address, 2)
            self.assertEqual(payee.getbalance(), 0)
            self.assertEqual(payee.getbalances()["mine"]["untrusted_pending"], 2)
            self.assertEqual(payee.listunspent(), [])
            [coin] = payee.listunspent(0)
            self.assertEqual((coin["txid"], coin["label"], coin["safe"], coin["confirmations"]),
                             (txid, "rent", False, 0))
            received = payee.gettransaction(txid)
            self.assertNotIn("fee", received)
            [detail] = received["details"]
            self.assertEqual((detail["category"], detail["label"], detail["amount"]), ("receive", "rent", 2))
            node.rpc.generatetoaddress(1, FOREIGN)
            self.assertEqual(payee.getbalance(), 2)
            self.assertEqual(payee.gettransaction(txid)["confirmations"], 1)
        self.run_with_each(check)

    def test_reorganisations_are_followed(self):
        def check(node):
            payer = node.funded("payer")
            payee = node.create("payee")
            txid = payer.sendtoaddress(payee.getnewaddress(), 2)
            [block] = node.rpc.generatetoaddress(1, FOREIGN)
            self.assertEqual(payee.getbalance(), 2)
            node.rpc.invalidateblock(block)
            self.assertEqual(payee.getbalance(), 0)
            self.assertEqual(payee.getbalances()["mine"]["untrusted_pending"], 2)
            self.assertEqual(payee.gettransaction(txid)["confirmations"], 0)
            node.rpc.reconsiderblock(block)
            self.assertEqual(payee.getbalance(), 2)
            self.assertEqual(payee.gettransaction(txid)["blockhash"], block)
            balance = payer.getbalance()
            node.rpc.invalidateblock(node.rpc.getblockhash(1))
            self.assertEqual((payer.getbalance(), payee.getbalance()), (0, 0))
            node.rpc.reconsiderblock(node.rpc.getblockhash(0))
            node.rpc.reconsiderblock(block)
            self.assertEqual((payer.getbalance(), payee.getbalance()), (balance, 2))
        self.run_with_each(check)

    def test_the_fee_can_be_chosen(self):
        def check(node):
            wallet = node.funded()
            txid = wallet.call("sendtoaddress", FOREIGN, 1, None, None, True, False, None, None, None, 3, True)
            self.assertEqual(set(txid), {"txid", "fee_reason"})
            sent = wallet.gettransaction(txid["txid"])
            decoded = node.rpc.decoderawtransaction(sent["hex"])
            fee = round(-sent["fee"] * 100_000_000)
            self.assertTrue(3 * decoded["vsize"] <= fee <= 3 * decoded["vsize"] + 6, (fee, decoded["vsize"]))
            self.assertAlmostEqual(sent["amount"] + sent["fee"], -1)
            self.assertEqual({vin["sequence"] for vin in decoded["vin"]}, {0xfffffffe})
            self.assertEqual(sent["amount"], -next(vout["value"] for vout in decoded["vout"] if
                                                   vout["scriptPubKey"]["address"] == FOREIGN))
            self.assert_refused(-6, "lower than the minimum fee rate",
                                wallet.sendtoaddress, FOREIGN, 1, "", "", False, True, None, "unset", None, 0.5)
            self.assert_refused(-6, "Fee exceeds maximum", wallet.sendtoaddress, FOREIGN, 1, "", "", False, True,
                                None, "unset", None, 100_000)
            self.assert_refused(-8, "Cannot specify both conf_target and fee_rate", wallet.sendtoaddress, FOREIGN, 1,
                                "", "", False, True, 6, "unset", None, 2)
        self.run_with_each(check)

    def test_wrong_payments_are_refused(self):
        def check(node):
            wallet = node.funded()
            send = wallet.sendtoaddress
            self.assert_refused(-6, "Insufficient funds", send, FOREIGN, 51)
            self.assert_refused(-6, "The total exceeds your balance when the ", send, FOREIGN, 50)
            self.assert_refused(-6, "Transaction amount too small", send, FOREIGN, "0.00000001")
            self.assert_refused(-3, "Amount out of range", send, FOREIGN, -1)
            self.assert_refused(-3, "Amount out of range", send, FOREIGN, 21_000_001)
            self.assert_refused(-3, "Invalid amount", send, FOREIGN, "0.000000001")
            self.assert_refused(-3, "Amount is not a number or string", send, FOREIGN, [])
            self.assert_refused(-5, "Invalid Bitcoin address", send, "nonsense", 1)
            self.assert_refused(-4, "avoid reuse", send, FOREIGN, 1, "", "", False, True, None, "unset", True)
            self.assertEqual(wallet.getbalance(), 50)
            watching = node.create("watching", True)
            self.assert_refused(-4, "Private keys are disabled", watching.sendtoaddress, FOREIGN, 1)
            self.assert_refused(-4, "no available keys", watching.getnewaddress)
            self.assertEqual(watching.getbalance(), 0)
        self.run_with_each(check)

    def test_payments_need_a_fee_rate(self):
        def check(node):
            wallet = node.funded()
            self.assert_refused(-6, "Fallbackfee is disabled", wallet.sendtoaddress, FOREIGN, 1)
            self.assertTrue(wallet.call("sendtoaddress", FOREIGN, 1, "", "", False, True, None, "unset", None, 1))
        self.run_with_each(check, "-fallbackfee=0")

    def test_wallets_stay_on_disk(self):
        for number, program in enumerate(PROGRAMS):
            with self.subTest(os.path.basename(program)):
                folder = self.folder / f"data{number}"
                folder.mkdir()
                node = WalletNode(self, program, folder)
                wallet = node.funded("kept")
                address = wallet.getnewaddress("a label")
                txid = wallet.sendtoaddress(address, 1)
                node.rpc.generatetoaddress(1, FOREIGN)
                pending = wallet.sendtoaddress(FOREIGN, 1)
                node.rpc.createwallet("blank", True, True, "", True)
                node.rpc.unloadwallet("kept", True)
                node.rpc.loadwallet("kept")
                balance = wallet.getbalance()
                flags = node.wallet("blank").getwalletinfo()["flags"]
                node.stop()
                node = WalletNode(self, program, folder)
                self.assertEqual(node.rpc.listwallets(), ["kept"])
                wallet = node.wallet("kept")
                self.assertEqual(wallet.getbalance(), balance)
                self.assertEqual(wallet.gettransaction(txid)["confirmations"], 1)
                self.assertEqual(wallet.gettransaction(pending)["confirmations"], 0)
                self.assertIn(pending, node.rpc.getrawmempool())
                self.assertEqual([coin["label"] for coin in wallet.listunspent() if coin["address"] == address],
                                 ["a label"])
                self.assertNotIn(wallet.getnewaddress(), [address])
                node.rpc.loadwallet("blank")
                self.assertEqual(node.wallet("blank").getwalletinfo()["flags"], flags)
                node.rpc.unloadwallet("kept", False)
                node.stop()
                node = WalletNode(self, program, folder, "-wallet=blank", "-wallet=missing")
                self.assertEqual(node.rpc.listwallets(), ["blank"])

    def test_damaged_wallets_are_named_and_kept(self):
        folder = self.folder / "data"
        folder.mkdir()
        node = WalletNode(self, BITCOIND, folder)
        node.rpc.createwallet("w", False, False, "", False, True, True)
        node.rpc.unloadwallet("w")
        file = folder / "regtest" / "wallets" / "w" / "wallet.dat"
        file.write_bytes(b"SQLite format 3\0" + b"nonsense" * 1000)
        before = file.read_bytes()
        self.assert_refused(-4, str(file), node.rpc.loadwallet, "w")
        self.assert_refused(-36, "already exists", node.rpc.createwallet, "w")
        node.stop()
        done = subprocess.run([BITCOIND, "-regtest", f"-datadir={folder}", "-port=0", "-rpcport=0"],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(file), done.stderr.splitlines()[-1])
        self.assertEqual(file.read_bytes(), before)

    def test_commands_run_for_transactions(self):
        def check(node):
            wallet = node.funded("a 'wallet'")
            txid = wallet.sendtoaddress(FOREIGN, 1)
            wanted = f"{txid} a 'wallet'"
            deadline = time.monotonic() + LIMIT
            while wanted not in (notes := seen.read_text() if seen.exists() else ""):
                self.assertLess(time.monotonic(), deadline, notes)
                time.sleep(0.02)
            seen.unlink()
        seen = self.folder / "seen"
        self.run_with_each(check, f"-walletnotify=echo %s %w >> {seen}")


if __name__ == "__main__":
    unittest.main()
