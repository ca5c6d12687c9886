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

    def sync(self):
        """Waits until the wallets of bitcoind know the mempool."""
        self.rpc.syncwithvalidationinterfacequeue()

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
            self.assert_refused(-4, "already exists", rpc.createwallet, "one")
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
            node.sync()
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
            node.sync()
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

    def test_payments_are_listed(self):
        def check(node):
            payer = node.funded("payer")
            payee = node.create("payee")
            start = node.rpc.getbestblockhash()
            first = payer.sendtoaddress(payee.getnewaddress("a"), 1)
            [block] = node.rpc.generatetoaddress(1, FOREIGN)
            second = payer.sendtoaddress(payee.getnewaddress("b"), 2)
            node.sync()
            listed = payee.listtransactions()
            self.assertEqual([(entry["txid"], entry["label"], entry["amount"], entry["category"],
                               entry["confirmations"]) for entry in listed],
                             [(first, "a", 1, "receive", 1), (second, "b", 2, "receive", 0)])
            self.assertEqual([entry["txid"] for entry in payee.listtransactions("*", 1)], [second])
            self.assertEqual([entry["txid"] for entry in payee.listtransactions("*", 1, 1)], [first])
            self.assertEqual([entry["txid"] for entry in payee.listtransactions("a")], [first])
            self.assertEqual(payee.listtransactions("*", 0), [])
            self.assert_refused(-8, "Negative count", payee.listtransactions, "*", -1)
            self.assert_refused(-8, "Negative from", payee.listtransactions, "*", 1, -1)
            self.assert_refused(-8, "Label argument", payee.listtransactions, "")
            since = payee.listsinceblock(start)
            self.assertEqual(sorted(entry["txid"] for entry in since["transactions"]), sorted([first, second]))
            self.assertEqual((since["removed"], since["lastblock"]), ([], block))
            self.assertEqual([entry["txid"] for entry in payee.listsinceblock(block)["transactions"]], [second])
            self.assertEqual(payee.listsinceblock(block, 2)["lastblock"], start)
            self.assert_refused(-5, "Block not found", payee.listsinceblock, "00" * 32)
            self.assert_refused(-8, "Invalid parameter", payee.listsinceblock, start, 0)
            node.rpc.invalidateblock(block)
            removed = payee.listsinceblock(block)["removed"]
            self.assertEqual([entry["txid"] for entry in removed], [first])
        self.run_with_each(check)

    def test_addresses_tell_what_they_received(self):
        def check(node):
            payer = node.funded("payer")
            payee = node.create("payee")
            address = payee.getnewaddress("rent")
            unpaid = payee.getnewaddress()
            txid = payer.sendtoaddress(address, 1)
            node.sync()
            self.assertEqual(payee.getreceivedbyaddress(address), 0)
            self.assertEqual(payee.getreceivedbyaddress(address, 0), 1)
            node.rpc.generatetoaddress(1, FOREIGN)
            self.assertEqual(payee.getreceivedbyaddress(address), 1)
            self.assertEqual(payee.getreceivedbylabel("rent"), 1)
            self.assertEqual(payee.listreceivedbyaddress(),
                             [{"address": address, "amount": 1, "confirmations": 1, "label": "rent", "txids": [txid]}])
            self.assertEqual(sorted(entry["address"] for entry in payee.listreceivedbyaddress(0, True)),
                             sorted([address, unpaid]))
            self.assertEqual(payee.listreceivedbylabel(), [{"amount": 1, "confirmations": 1, "label": "rent"}])
            self.assertEqual(payee.getaddressesbylabel("rent"), {address: {"purpose": "receive"}})
            self.assertEqual(payee.listlabels(), ["", "rent"])
            self.assertIsNone(payee.setlabel(address, "new"))
            self.assertEqual(payee.listlabels(), ["", "new"])
            self.assert_refused(-11, "No addresses with label rent", payee.getaddressesbylabel, "rent")
            self.assert_refused(-4, "Address not found in wallet", payee.getreceivedbyaddress, FOREIGN)
            self.assert_refused(-5, "Invalid Bitcoin address", payee.setlabel, "x", "y")
        self.run_with_each(check)

    def test_addresses_are_described(self):
        def check(node):
            wallet = node.create("w")
            for kind in "bech32", "bech32m", "p2sh-segwit", "legacy":
                address = wallet.getnewaddress("l", kind)
                info = wallet.getaddressinfo(address)
                self.assertEqual((info["ismine"], info["solvable"], info["ischange"], info["iswatchonly"],
                                  info["labels"]), (True, True, False, False, ["l"]))
                self.assertEqual(node.rpc.deriveaddresses(info["desc"]), [address])
                self.assertRegex(info["hdkeypath"], "^m/[0-9]+h/1h/0h/0/0$")
                self.assertIn(info["hdmasterfingerprint"], info["parent_desc"])
                if kind != "bech32m":
                    self.assertIn(info["pubkey"], info["desc"])
                if kind == "p2sh-segwit":
                    self.assertEqual(info["embedded"]["witness_version"], 0)
                    self.assertEqual(info["script"], "witness_v0_keyhash")
            self.assertTrue(wallet.getaddressinfo(wallet.getrawchangeaddress())["ischange"])
            foreign = wallet.getaddressinfo(FOREIGN)
            self.assertEqual((foreign["ismine"], foreign["solvable"], foreign["labels"]), (False, False, []))
            with self.assertRaises(RpcError) as refused:
                wallet.getaddressinfo("nonsense")
            self.assertEqual(refused.exception.code, -5)
        self.run_with_each(check)

    def test_coins_can_be_locked(self):
        def check(node):
            wallet = node.funded()
            [coin] = wallet.listunspent()
            place = {"txid": coin["txid"], "vout": coin["vout"]}
            self.assertTrue(wallet.lockunspent(False, [place]))
            self.assertEqual(wallet.listlockunspent(), [place])
            self.assertEqual(wallet.listunspent(), [])
            self.assertEqual(wallet.getbalance(), 50)
            self.assert_refused(-6, "Insufficient funds", wallet.sendtoaddress, FOREIGN, 1)
            self.assert_refused(-8, "output already locked", wallet.lockunspent, False, [place])
            self.assert_refused(-8, "unknown transaction", wallet.lockunspent, False, [{"txid": "00" * 32, "vout": 0}])
            self.assert_refused(-8, "vout index out of bounds", wallet.lockunspent, False, [{**place, "vout": 9}])
            self.assertTrue(wallet.lockunspent(True, [place]))
            self.assert_refused(-8, "expected locked output", wallet.lockunspent, True, [place])
            wallet.lockunspent(False, [place])
            self.assertTrue(wallet.lockunspent(True))
            self.assertEqual(wallet.listlockunspent(), [])
        self.run_with_each(check)

    def test_passphrases_lock_wallets(self):
        def check(node):
            wallet = node.funded()
            self.assert_refused(-15, "unencrypted wallet", wallet.walletlock)
            self.assert_refused(-15, "unencrypted wallet", wallet.walletpassphrase, "x", 1)
            self.assertIn("wallet encrypted", wallet.encryptwallet("secret"))
            self.assert_refused(-15, "encrypted wallet", wallet.encryptwallet, "secret")
            self.assert_refused(-13, "walletpassphrase first", wallet.sendtoaddress, FOREIGN, 1)
            self.assertEqual(wallet.getwalletinfo()["unlocked_until"], 0)
            self.assert_refused(-14, "incorrect", wallet.walletpassphrase, "wrong", 100)
            self.assert_refused(-8, "cannot be negative", wallet.walletpassphrase, "secret", -1)
            self.assertIsNone(wallet.walletpassphrase("secret", 100))
            self.assertTrue(wallet.sendtoaddress(FOREIGN, 1))
            self.assertIsNone(wallet.walletlock())
            self.assert_refused(-13, "walletpassphrase first", wallet.sendtoaddress, FOREIGN, 1)
        self.run_with_each(check)

    def test_transactions_are_funded_and_signed(self):
        def check(node):
            wallet = node.funded()
            # Version 2, no inputs, an output of 1 bitcoin to FOREIGN.
            script = node.rpc.validateaddress(FOREIGN)["scriptPubKey"]
            draft = "0200000000" + "01" + "00e1f50500000000" + f"{len(script) // 2:02x}" + script + "00000000"
            funded = wallet.fundrawtransaction(draft, {"fee_rate": 2, "changePosition": 1}, False)
            self.assertEqual(funded["changepos"], 1)
            unsigned = node.rpc.decoderawtransaction(funded["hex"])
            self.assertEqual(unsigned["vout"][0]["value"], 1)
            signed = wallet.signrawtransactionwithwallet(funded["hex"])
            self.assertTrue(signed["complete"])
            size = node.rpc.decoderawtransaction(signed["hex"])["vsize"]
            self.assertTrue(2 * size <= round(funded["fee"] * 100_000_000) <= 2 * size + 4)
            txid = node.rpc.sendrawtransaction(signed["hex"])
            self.assertEqual(wallet.gettransaction(txid)["amount"], -1)
            self.assertTrue(wallet.gettransaction(txid)["trusted"])
            other = node.create("other")
            refused = other.signrawtransactionwithwallet(funded["hex"])
            self.assertFalse(refused["complete"])
            self.assertEqual(len(refused["errors"]), 1)
            self.assert_refused(-22, "TX decode failed", wallet.signrawtransactionwithwallet, "00")
            self.assert_refused(-8, "changePosition out of bounds", wallet.fundrawtransaction, draft,
                                {"changePosition": 5}, False)
        self.run_with_each(check, "-txindex")

    def test_psbts_are_made_and_signed(self):
        def check(node):
            wallet = node.funded()
            made = wallet.walletcreatefundedpsbt([], [{FOREIGN: 1}], 0, {"fee_rate": 3})
            self.assertGreater(made["fee"], 0)
            unsigned = wallet.walletprocesspsbt(made["psbt"], False)
            self.assertFalse(unsigned["complete"])
            signed = wallet.walletprocesspsbt(made["psbt"])
            self.assertTrue(signed["complete"])
            txid = node.rpc.sendrawtransaction(signed["hex"])
            self.assertEqual(wallet.gettransaction(txid)["fee"], -made["fee"])
            self.assert_refused(-22, "TX decode failed", wallet.walletprocesspsbt, "nonsense")
            node.rpc.generatetoaddress(1, FOREIGN)
            sent = wallet.send([{FOREIGN: 2}], None, "unset", 4)
            self.assertTrue(sent["complete"])
            self.assertEqual(wallet.gettransaction(sent["txid"])["amount"], -2)
            kept = wallet.send([{FOREIGN: 2}], None, "unset", 4, {"add_to_wallet": False})
            self.assertEqual((kept["complete"], "hex" in kept, "psbt" in kept), (True, True, True))
        self.run_with_each(check)

    def test_everything_can_be_sent(self):
        def check(node):
            wallet = node.funded()
            other = node.create("other").getnewaddress()
            sent = wallet.sendall([FOREIGN, {other: 1}], None, "unset", 3)
            self.assertTrue(sent["complete"])
            told = wallet.gettransaction(sent["txid"])
            self.assertAlmostEqual(told["amount"] + told["fee"], -50)
            self.assertEqual(wallet.listunspent(0), [])
            self.assertEqual(sorted(detail["amount"] for detail in told["details"]), [told["amount"] + 1, -1])
            node.rpc.generatetoaddress(1, wallet.getnewaddress())
            node.rpc.generatetoaddress(100, FOREIGN)
            halves = wallet.sendall([FOREIGN, other])
            values = [detail["amount"] for detail in wallet.gettransaction(halves["txid"])["details"]]
            self.assertAlmostEqual(values[0], values[1], 7)
            self.assert_refused(-8, "Must provide at least one address", wallet.sendall, [{FOREIGN: 1}])
            self.assert_refused(-6, "Total value of UTXO pool too low", wallet.sendall, [FOREIGN])
        self.run_with_each(check)

    def test_fees_are_bumped(self):
        def check(node):
            wallet = node.funded()
            txid = wallet.sendtoaddress(FOREIGN, 1)
            bumped = wallet.bumpfee(txid)
            self.assertGreater(bumped["fee"], bumped["origfee"])
            self.assertEqual(node.rpc.getrawmempool(), [bumped["txid"]])
            old = wallet.gettransaction(txid)
            self.assertEqual((old["walletconflicts"], old["replaced_by_txid"]), ([bumped["txid"]], bumped["txid"]))
            self.assertEqual(wallet.gettransaction(bumped["txid"])["replaces_txid"], txid)
            node.rpc.generatetoaddress(1, FOREIGN)
            self.assertEqual(wallet.gettransaction(txid)["confirmations"], -1)
            with self.assertRaises(RpcError):
                wallet.bumpfee(bumped["txid"])
            self.assert_refused(-5, "Invalid or non-wallet transaction id", wallet.bumpfee, "00" * 32)
        self.run_with_each(check)

    def test_descriptors_are_listed_and_imported(self):
        def check(node):
            wallet = node.funded()
            listed = wallet.listdescriptors()
            self.assertEqual((listed["wallet_name"], len(listed["descriptors"])), ("w", 8))
            self.assertEqual(len([one for one in listed["descriptors"] if one["internal"]]), 4)
            for one in listed["descriptors"]:
                self.assertTrue(one["active"])
                self.assertEqual(node.rpc.getdescriptorinfo(one["desc"])["descriptor"], one["desc"])
            watching = node.create("watching", True)
            requests = [{"desc": one["desc"], "timestamp": 0, "active": True, "internal": one["internal"],
                         "range": [0, 10]} for one in listed["descriptors"]]
            self.assertEqual(watching.importdescriptors(requests), [{"success": True}] * 8)
            self.assertEqual(watching.getbalance(), 50)
            self.assertEqual(watching.getnewaddress(), wallet.getnewaddress())
            psbt = watching.walletcreatefundedpsbt([], [{FOREIGN: 1}])["psbt"]
            self.assertTrue(wallet.walletprocesspsbt(psbt)["complete"])
            private = wallet.listdescriptors(True)["descriptors"]
            self.assertTrue(all("tprv" in one["desc"] for one in private))
            copy = node.create("copy", False, True)
            requests = [{"desc": one["desc"], "timestamp": 0, "active": True, "internal": one["internal"],
                         "range": [0, 10]} for one in private]
            self.assertEqual(copy.importdescriptors(requests), [{"success": True}] * 8)
            self.assertEqual(copy.getbalance(), 50)
            self.assertTrue(copy.sendtoaddress(FOREIGN, 1))
            self.assert_refused(-4, "watch-only", watching.listdescriptors, True)
            [refused] = watching.importdescriptors([{"desc": "wpkh(x)", "timestamp": "now"}])
            self.assertEqual((refused["success"], refused["error"]["code"]), (False, -5))
            [refused] = watching.importdescriptors([requests[0]])
            self.assertEqual((refused["success"], refused["error"]["code"]), (False, -4))
        self.run_with_each(check)

    def test_single_addresses_are_watched(self):
        def check(node):
            txid = node.funded("payer").sendtoaddress(FOREIGN, 1)
            node.rpc.generatetoaddress(1, "bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry")
            watching = node.create("watching", True)
            descriptor = node.rpc.getdescriptorinfo(f"addr({FOREIGN})")["descriptor"]
            self.assertEqual(watching.importdescriptors([{"desc": descriptor, "timestamp": "now", "label": "x"}]),
                             [{"success": True}])
            self.assertIn(txid, [coin["txid"] for coin in watching.listunspent()])
            rescanned = watching.rescanblockchain()
            self.assertEqual((rescanned["start_height"], rescanned["stop_height"]), (0, 102))
            found = [coin for coin in watching.listunspent() if coin["txid"] == txid]
            self.assertEqual([(coin["label"], coin["amount"], coin["solvable"]) for coin in found], [("x", 1, False)])
            self.assert_refused(-8, "Invalid start_height", watching.rescanblockchain, 1000)
        self.run_with_each(check)

    def test_backups_are_restored(self):
        def check(node):
            wallet = node.funded()
            address = wallet.getnewaddress("label")
            backup = self.folder / f"backup{len(list(self.folder.glob('backup*')))}"
            self.assertIsNone(wallet.backupwallet(str(backup)))
            txid = wallet.sendtoaddress(FOREIGN, 1)
            node.rpc.generatetoaddress(1, FOREIGN)
            balance = wallet.getbalance()
            node.rpc.unloadwallet("w")
            self.assertEqual(node.rpc.restorewallet("again", str(backup))["name"], "again")
            again = node.wallet("again")
            self.assertEqual(again.getbalance(), balance)
            self.assertEqual(again.gettransaction(txid)["confirmations"], 1)
            self.assertEqual(again.getaddressesbylabel("label"), {address: {"purpose": "receive"}})
            self.assert_refused(-8, "Backup file does not exist", node.rpc.restorewallet, "x", "/no/such/file")
            self.assert_refused(-36, "Failed to restore wallet", node.rpc.restorewallet, "again", str(backup))
        self.run_with_each(check)

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
        self.assert_refused(-4, "already exists", node.rpc.createwallet, "w")
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
