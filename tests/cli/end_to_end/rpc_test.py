"""The regtest node's JSON-RPC, used as other programs use it, and by Bitcoin Core's own client."""

import json
import pathlib
import signal
import subprocess
import time
import unittest

from core_node import BITCOIN_CLI, RpcNodeTest, needs_core
from petal_process import ADDRESS, interrupt
from rpc_client import RpcClient, RpcError

PUBLIC_KEY = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"


class RpcTest(RpcNodeTest):
    def test_leaves_a_cookie_for_programs_of_the_same_user(self):
        node, listening = self.start_node("--rpc", "0", "--datadir", str(self.data))
        cookie = pathlib.Path(listening["rpc_cookie_file"])
        self.assertEqual(cookie, self.data / "regtest" / ".cookie")
        self.assertEqual(cookie.stat().st_mode & 0o777, 0o600)
        self.assertRegex(cookie.read_text(encoding="ascii"), "^__cookie__:[0-9a-f]{64}$")
        self.assertEqual(self.client(listening).getblockcount(), listening["height"])
        interrupt(node, signal.SIGTERM)
        self.assertEqual(self.finish(node).status, 0)
        self.assertFalse(cookie.exists())

    def test_puts_the_cookie_at_the_given_path(self):
        place = self.folder / "cookie"
        place.write_text("__cookie__:left behind")
        _, listening = self.start_node("--rpc", "0", "--rpc-cookie-file", str(place))
        self.assertEqual(listening["rpc_cookie_file"], str(place))
        self.assertEqual(self.client(listening).getblockcount(), listening["height"])
        letter = self.folder / "letter"
        letter.write_text("dear reader")
        refused = self.run_petal("regtest-node", "--port", "0", "--json", "--rpc", "0",
                                 "--rpc-cookie-file", str(letter))
        self.assert_fails(refused, 1, "unwritable-file")
        self.assertEqual(letter.read_text(), "dear reader")

    def refuse_to_start(self, *arguments):
        return self.run_petal("regtest-node", "--port", "0", "--json", *arguments)

    def test_leaves_the_cookie_of_another_node_alone(self):
        place = self.folder / "cookie"
        node, listening = self.start_node("--rpc", "0", "--rpc-cookie-file", str(place))
        refused = self.refuse_to_start("--rpc", str(listening["rpc_port"]),
                                       "--rpc-cookie-file", str(place))
        self.assert_fails(refused, 1, "cannot-listen")
        self.assertEqual(self.client(listening).getblockcount(), listening["height"])
        _, later = self.start_node("--rpc", "0", "--rpc-cookie-file", str(place))
        interrupt(node, signal.SIGTERM)
        self.assertEqual(self.finish(node).status, 0)
        self.assertEqual(self.client(later).getblockcount(), later["height"])

    def test_replaces_an_old_cookie(self):
        place = self.folder / "cookie"
        letter = self.folder / "letter"
        letter.write_text("__cookie__:of another")
        place.symlink_to(letter)
        refused = self.refuse_to_start("--rpc", "0", "--rpc-cookie-file", str(place))
        self.assert_fails(refused, 1, "unwritable-file")
        place.unlink()
        place.write_text("__cookie__:left behind")
        place.chmod(0o644)
        with place.open(encoding="ascii") as reader:
            node, _ = self.start_node("--rpc", "0", "--rpc-cookie-file", str(place))
            self.assertEqual(reader.read(), "__cookie__:left behind")
        self.assertEqual(place.stat().st_mode & 0o777, 0o600)
        self.assertEqual(sorted(self.folder.glob("cookie*")), [place])
        interrupt(node, signal.SIGTERM)
        self.assertEqual(self.finish(node).status, 0)
        self.assertFalse(place.exists())
        nowhere = self.refuse_to_start("--rpc", "0", "--rpc-cookie-file",
                                       str(self.folder / "none" / "cookie"))
        self.assert_fails(nowhere, 1, "unwritable-file")

    def test_takes_a_user_and_a_password_instead(self):
        password = self.folder / "password"
        password.write_text("pass word\n")
        _, listening = self.start_node(
            "--rpc", "0", "--rpc-user", "me", "--rpc-password-file", str(password))
        self.assertNotIn("rpc_cookie_file", listening)
        client = RpcClient(listening["rpc_port"], "me:pass word")
        self.addCleanup(client.close)
        self.assertEqual(client.getblockcount(), listening["height"])
        wrong = RpcClient(listening["rpc_port"], "me:password")
        self.addCleanup(wrong.close)
        self.assertEqual(wrong.post("{}"), (401, ""))
        for arguments in (["--rpc", "0", "--rpc-user", "me"], ["--rpc-cookie-file", "x"],
                          ["--rpc", "0", "--rpc-password-file", str(password)]):
            refused = self.run_petal("regtest-node", "--port", "0", "--json", *arguments)
            self.assert_fails(refused, 2, "usage")
        password.write_text("\n")
        empty = self.run_petal("regtest-node", "--port", "0", "--json", "--rpc", "0", "--rpc-user", "me",
                               "--rpc-password-file", str(password))
        self.assert_fails(empty, 1, "empty-password")

    def test_mines_and_stops_on_request(self):
        node, listening = self.start_node()
        client = node.rpc
        [block] = client.generatetoaddress(1, ADDRESS)
        self.assertEqual(client.getbestblockhash(), block)
        self.assertEqual(client.getblockcount(), listening["height"] + 1)
        with self.assertRaisesRegex(RpcError, "-8: Block height out of range"):
            client.getblockhash(1_000_000)
        status, text = client.post(
            '[{"method":"uptime","id":1},{"method":"nothing","id":2}]')
        self.assertEqual((status, len(json.loads(text))), (200, 2))
        self.assertEqual(client.stop(), "petal regtest-node stopping")
        self.assertEqual(node.wait(30), 0)

    def test_repeats_ids_as_they_are(self):
        _, listening = self.start_node("--rpc", "0")
        client = self.client(listening)
        for number in "0.8444218515250481", "1e15", "18446744073709551616", "1.50", "-7":
            status, text = client.post('{"method":"getblockcount","id":' + number + "}")
            expected = f'{{"result":{listening["height"]},"error":null,"id":{number}}}\n'
            self.assertEqual((status, text), (200, expected))


# Fields of Bitcoin Core that petal leaves out, because it has no true value for them.
LEFT_OUT = {
    "getnetworkinfo": {"tx_send_rate", "inv_buckets"},
}


@needs_core
class CoreRpcTest(RpcNodeTest):
    """Makes the same calls to Bitcoin Core with the same chain."""

    def cli(self, listening, *arguments):
        """The output of bitcoin-cli, and its exit status."""
        done = subprocess.run(
            [BITCOIN_CLI, "-regtest", "-rpccookiefile=" + listening["rpc_cookie_file"],
             f"-rpcport={listening['rpc_port']}", *arguments],
            capture_output=True, text=True, timeout=60, check=False)
        return done.stdout.strip() or done.stderr.strip(), done.returncode

    def compare(self, name, ours, theirs, path=""):
        """Expects equal names and types, except for the fields that are left out."""
        if isinstance(theirs, dict) and isinstance(ours, dict):
            left_out = {key for key in theirs if path + key in LEFT_OUT.get(name, set())}
            self.assertEqual(set(ours), set(theirs) - left_out, f"{name} {path}")
            for key in ours:
                self.compare(name, ours[key], theirs[key], path + key + ".")
        elif isinstance(theirs, list) and isinstance(ours, list):
            for mine, other in zip(ours, theirs):
                self.compare(name, mine, other, path)
        else:
            kind = lambda value: "number" if type(value) in (int, float) else type(value).__name__
            self.assertEqual(kind(ours), kind(theirs), f"{name} {path}")

    def test_answers_as_bitcoin_core_with_the_same_chain(self):
        node, listening = self.start_node("--pay", ADDRESS)
        petal, core = node.rpc, self.start_core()
        for height in range(1, listening["height"] + 1):
            block = petal.getblock(petal.getblockhash(height), 0)
            self.assertIsNone(core.submitblock(block))
        tip, height = listening["tip"], listening["height"]
        self.assertEqual(core.getbestblockhash(), tip)
        paid = listening["payments"][0]["txid"]
        pending = self.pay(ADDRESS, 0.5, node)
        raw = petal.getrawtransaction(pending)
        self.assertEqual(core.testmempoolaccept([raw])[0]["fees"]["base"],
                         petal.getmempoolentry(pending)["fees"]["base"])
        core.sendrawtransaction(raw)
        wrong = raw[:-60] + ("0" if raw[-60] != "0" else "1") + raw[-59:]
        for transaction in raw, wrong:
            self.assertEqual(core.testmempoolaccept([transaction]),
                             petal.testmempoolaccept([transaction]))

        proof = core.gettxoutproof([paid])
        for method, *arguments in [
            ["getblockcount"], ["getbestblockhash"], ["getblockhash", 1],
            ["getblockheader", tip], ["getblockheader", tip, False],
            ["getblockheader", petal.getblockhash(1)],
            ["getblock", tip], ["getblock", tip, 0], ["getblock", tip, 2], ["getblock", tip, 3],
            ["getrawtransaction", paid], ["getrawtransaction", paid, 1],
            ["getrawtransaction", pending, 1], ["getrawtransaction", paid, 2], ["getrawtransaction", paid, True, tip],
            ["decoderawtransaction", raw], ["gettxout", paid, 0], ["gettxout", pending, 0],
            ["gettxout", pending, 0, False], ["gettxout", paid, 9],
            ["gettxoutproof", [paid]], ["gettxoutproof", [paid], tip],
            ["verifytxoutproof", proof], ["getrawmempool"],
            ["validateaddress", ADDRESS], ["estimatesmartfee", 6], ["getconnectioncount"],
            ["getdescriptorinfo", f"addr({ADDRESS})"],
        ]:
            with self.subTest(method=method, arguments=arguments):
                self.assertEqual(petal.call(method, *arguments), core.call(method, *arguments))
        for method, *arguments in [
            ["getblockchaininfo"], ["getmempoolinfo"], ["getnetworkinfo"],
            ["getmempoolentry", pending], ["uptime"],
        ]:
            with self.subTest(method=method):
                self.compare(method, petal.call(method, *arguments), core.call(method, *arguments))
        unknown = "00" * 32
        for method, *arguments in [
            ["getblockhash", height + 1], ["getblockhash", -1], ["getblockhash", "1"],
            ["getblock", unknown], ["getblock", "12"], ["getblock", "x" * 64], ["getblock", 1],
            ["getblockheader", unknown], ["getrawtransaction", unknown],
            ["getrawtransaction", unknown, 0, tip], ["getmempoolentry", unknown],
            ["gettxoutproof", []], ["gettxoutproof", [paid, paid]], ["gettxoutproof", [unknown]],
            ["gettxoutproof", [unknown], tip],
            ["sendrawtransaction", "00"], ["sendrawtransaction", raw, 2],
            ["generatetoaddress", 1, "x"], ["generateblock", ADDRESS, [unknown]],
            ["disconnectnode", "127.0.0.1:1"], ["disconnectnode", "127.0.0.1:1", 1],
            ["estimatesmartfee", 0], ["deriveaddresses", f"addr({ADDRESS})#00000000"],
            ["setmocktime", -1], ["nothing"],
        ]:
            with self.subTest(method=method, arguments=arguments):
                with self.assertRaises(RpcError) as theirs:
                    core.call(method, *arguments)
                with self.assertRaises(RpcError) as ours:
                    petal.call(method, *arguments)
                self.assertEqual(ours.exception.code, theirs.exception.code)
                if method not in {"deriveaddresses", "sendrawtransaction"}:
                    self.assertEqual(str(ours.exception), str(theirs.exception))

    def test_shows_peers_as_bitcoin_core_does(self):
        _, listening = self.start_node("--rpc", "0")
        petal, core = self.client(listening), self.start_core()
        core.addnode(listening["address"], "onetry", False)
        deadline = time.monotonic() + 60
        while core.getbestblockhash() != listening["tip"] or "pingtime" not in petal.getpeerinfo()[0]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        [ours], [theirs] = petal.getpeerinfo(), core.getpeerinfo()
        for peer in ours, theirs:
            for optional in "addrlocal", "mapped_as", "pingtime", "minping", "pingwait":
                peer.pop(optional, None)
            for messages in "bytessent_per_msg", "bytesrecv_per_msg":
                peer[messages] = {}
        self.compare("getpeerinfo", ours, theirs)
        self.assertEqual(list(ours), list(theirs))
        for height in "synced_headers", "synced_blocks":
            self.assertEqual(theirs[height], listening["height"])

    def test_is_driven_by_bitcoin_cores_own_client(self):
        _, listening = self.start_node("--rpc", "0", "--pay", ADDRESS)
        tip, paid = listening["tip"], listening["payments"][0]["txid"]
        called = set()

        def cli(*arguments):
            with self.subTest(arguments=arguments):
                said, status = self.cli(listening, *arguments)
                self.assertEqual(status, 0, said)
                called.add(arguments[0])
                return said

        descriptor = json.loads(cli("getdescriptorinfo", f"addr({ADDRESS})"))["descriptor"]
        for arguments in [
            ["getblockcount"], ["getbestblockhash"], ["getblockhash", "1"], ["getblockheader", tip],
            ["getblock", tip, "2"], ["getblockchaininfo"], ["getrawtransaction", paid, "1"],
            ["gettxout", paid, "0"], ["getrawmempool", "true"], ["getmempoolinfo"],
            ["getpeerinfo"], ["getconnectioncount"], ["getnetworkinfo"],
            ["addnode", "127.0.0.1:1", "add"], ["addnode", "127.0.0.1:1", "remove"],
            ["generatetoaddress", "2", ADDRESS], ["generatetodescriptor", "1", descriptor],
            ["generateblock", ADDRESS, "[]"], ["setmocktime", "0"], ["validateaddress", ADDRESS],
            ["deriveaddresses", descriptor], ["estimatesmartfee", "6"], ["uptime"],
            ["help"], ["help", "getblock"], ["createwallet", "one"], ["loadwallet", "one"],
            ["getnewaddress"], ["getbalance"], ["listunspent"], ["setfault", ""],
            ["-named", "getblock", f"blockhash={tip}", "verbosity=0"], ["-getinfo"],
            ["-generate", "1"], ["getdifficulty"], ["getchaintips"], ["getnetworkhashps"], ["getmininginfo"],
            ["getdeploymentinfo"], ["getchaintxstats"], ["getblockstats", "1"], ["gettxoutsetinfo"],
            ["scantxoutset", "start", f'["addr({ADDRESS})"]'], ["decodescript", "51"], ["preciousblock", tip],
            ["createmultisig", "1", f'["{PUBLIC_KEY}"]'], ["verifychain"], ["getrpcinfo"], ["echo", "1"],
            ["echojson", "1"], ["logging"], ["mockscheduler", "1"], ["ping"], ["getnettotals"],
            ["setnetworkactive", "true"], ["getaddednodeinfo"], ["syncwithvalidationinterfacequeue"],
            ["waitforblockheight", "1"], ["waitforblock", tip, "10"], ["waitfornewblock", "10"],
            ["gettxspendingprevout", f'[{{"txid":"{paid}","vout":0}}]'],
        ]:
            cli(*arguments)
        proof = cli("gettxoutproof", f'["{paid}"]')
        self.assertEqual(json.loads(cli("verifytxoutproof", proof)), [paid])
        sent = cli("sendtoaddress", ADDRESS, "0.5")
        self.assertEqual(cli("-named", "sendmany", f'amounts={{"{ADDRESS}":0.25}}'),
                         json.loads(cli("getrawmempool"))[1])
        cli("sendmany", "", f'{{"{ADDRESS}":0.25}}')
        cli("getmempoolentry", sent)
        cli("getmempoolancestors", sent)
        cli("getmempooldescendants", sent)
        cli("getmempoolcluster", sent)
        cli("getblocktemplate", '{"rules": ["segwit"]}')
        raw = cli("getrawtransaction", sent)
        cli("decoderawtransaction", raw)
        cli("droptransaction", sent)
        self.assertTrue(json.loads(cli("testmempoolaccept", f'["{raw}"]'))[0]["allowed"])
        self.assertEqual(cli("sendrawtransaction", raw), sent)
        cli("confirmconflict", cli("replacetransaction", sent))
        last = cli("getbestblockhash")
        block = cli("getblock", last, "0")
        cli("submitheader", block[:160])
        cli("getblockfilter", last)
        cli("getindexinfo")
        cli("invalidateblock", last)
        cli("reconsiderblock", last)
        self.assertEqual(cli("submitblock", block), "duplicate")
        said, status = self.cli(listening, "disconnectnode", "", "7")
        self.assertEqual((status, said.splitlines()[-1]), (29, "Node not found in connected nodes"))
        called.add("disconnectnode")
        methods = {line.split()[0] for line in cli("help").splitlines()}
        cli("stop")
        self.assertEqual(methods - called, set())

    def test_tells_bitcoin_cores_own_client_of_errors(self):
        _, listening = self.start_node("--rpc", "0")
        said, status = self.cli(listening, "getblockhash", "999")
        self.assertEqual((said.splitlines(), status),
                         (["error code: -8", "error message:", "Block height out of range"], 8))


if __name__ == "__main__":
    unittest.main()
