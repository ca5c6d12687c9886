"""Calls to the same chain in petal-bitcoind and in Bitcoin Core: the answers must be equal."""

import random
import unittest

from bitcoind_node import BitcoindCase
from core_node import RpcNodeTest, needs_core
from petal_process import ADDRESS
from rpc_client import RpcError

KEYS = ["0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"]
LONG_KEY = ("0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
            "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")
NOTHING = "00" * 32


def answer_of(client, call):
    """The result of a call, or its error."""
    try:
        return client.call(*call)
    except RpcError as error:
        return str(error)


def without(answer, keys):
    """The answer without keys whose values may differ, and with numbers of 15 digits."""
    if isinstance(answer, (int, float)) and not isinstance(answer, bool):
        return f"{answer:.15g}"
    if isinstance(answer, dict):
        return {key: without(value, keys) for key, value in answer.items() if key not in keys}
    if isinstance(answer, list):
        return [without(value, keys) for value in answer]
    return answer


@needs_core
class CoreCallsTest(BitcoindCase, RpcNodeTest):
    def setUp(self):
        super().setUp()
        self.petal = BitcoindCase.client(self, self.start("-fallbackfee=0.0002"))
        self.petal.createwallet("payer")
        self.core = self.start_core()

    def copy_blocks(self):
        for height in range(self.core.getblockcount() + 1, self.petal.getblockcount() + 1):
            block = self.petal.getblock(self.petal.getblockhash(height), 0)
            self.assertIsNone(self.core.submitblock(block))

    def compare(self, *call, skip=()):
        petal, core = (without(answer_of(client, call), skip) for client in (self.petal, self.core))
        self.assertEqual(petal, core, call)
        if isinstance(petal, dict):
            self.assertEqual(list(petal), list(core), call)
        return petal

    def test_answers_about_the_chain(self):
        self.petal.generatetoaddress(110, self.petal.getnewaddress())
        for amount in 1, 2.5, 0.3:
            self.petal.sendtoaddress(ADDRESS, amount)
        [paid] = self.petal.generatetoaddress(1, ADDRESS)
        self.petal.generatetoaddress(2, ADDRESS)
        self.copy_blocks()
        tip = self.petal.getbestblockhash()
        for block in paid, tip, 0, 1, 111, 114, -1, NOTHING, "x":
            self.compare("getblockstats", block)
        self.compare("getblockstats", paid, ["avgfee", "txs"])
        self.compare("getblockstats", paid, ["avgfees"])
        self.compare("gettxoutsetinfo", skip=["disk_size"])
        self.compare("gettxoutsetinfo", "none", skip=["disk_size"])
        self.compare("gettxoutsetinfo", "x")
        self.compare("getchaintxstats")
        for arguments in (5,), (5, paid), (0,), (113,), (112,), (-1,), (1, NOTHING):
            self.compare("getchaintxstats", *arguments)
        self.compare("getdeploymentinfo", skip=["testdummy"])
        self.compare("getdeploymentinfo", paid, skip=["testdummy"])
        self.compare("getdifficulty")
        self.compare("getmininginfo", skip=["currentblockweight", "currentblocktx", "warnings"])
        self.compare("getnetworkhashps")
        self.compare("getnetworkhashps", -1)
        self.compare("getnetworkhashps", 10, 20)
        self.compare("getnetworkhashps", 0)
        self.compare("getnetworkhashps", 1, 1000)
        self.compare("getchaintips")
        for objects in [f"addr({ADDRESS})"], [{"desc": f"addr({ADDRESS})"}], [1], [{}], []:
            self.compare("scantxoutset", "start", objects)
        # Bitcoin Core adds the fingerprints of keys to their descriptors.
        self.compare("scantxoutset", "start", [f"wpkh({KEYS[0]})"], skip=["desc"])
        self.compare("scantxoutset", "status")
        self.compare("scantxoutset", "abort")
        self.compare("scantxoutset", "x")
        self.compare("scantxoutset", "start")
        self.compare("waitforblock", tip, 10)
        self.compare("waitforblock", NOTHING, 10)
        self.compare("waitforblockheight", 5, 10)
        self.compare("waitforblockheight", 500, 10)
        self.compare("waitfornewblock", 10)
        self.compare("waitfornewblock", 10, paid)
        self.compare("waitfornewblock", -1)
        self.compare("syncwithvalidationinterfacequeue")

    def compare_tips(self):
        """Returns the hashes. The order of tips at the same height differs from run to run in Bitcoin Core."""
        petal, core = (sorted(client.getchaintips(), key=lambda tip: tip["hash"])
                       for client in (self.petal, self.core))
        self.assertEqual(petal, core)
        return [tip["hash"] for tip in petal]

    def test_branches(self):
        blocks = self.petal.generatetoaddress(5, ADDRESS)
        self.copy_blocks()
        for client in self.petal, self.core:
            client.invalidateblock(blocks[3])
        self.compare_tips()
        for address in ADDRESS, "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080":
            # Both nodes get both branches.
            [block] = self.petal.generatetoaddress(1, address)
            self.assertIsNone(self.core.submitblock(self.petal.getblock(block, 0)))
            for client in self.petal, self.core:
                client.invalidateblock(block)
        for client in self.petal, self.core:
            client.reconsiderblock(block)
            client.reconsiderblock(blocks[3])
        tips = self.compare_tips()
        for tip in tips:
            self.compare("preciousblock", tip)
            self.compare("getbestblockhash")
        self.compare("preciousblock", NOTHING)
        header = self.petal.getblockheader(tips[0], False)
        self.compare("submitheader", header)
        self.compare("submitheader", header[:-2])
        self.compare("submitheader", "00" * 80)
        self.compare("submitheader", header[:8] + "11" * 32 + header[72:])

    def test_scripts(self):
        scripts = ["", "51", "6a00", "76a914" + "11" * 20 + "88ac", "a914" + "11" * 20 + "87",
                   "0014" + "11" * 20, "0020" + "11" * 32, "5120" + "11" * 32, "5114" + "11" * 20,
                   "21" + KEYS[0] + "ac", "41" + LONG_KEY + "ac", "51024e73", "ba", "4c", "ff", "50", "x",
                   "5121" + KEYS[0] + "21" + KEYS[1] + "52ae", "5141" + LONG_KEY + "51ae", "63ac67ad68"]
        chance = random.Random(1)
        scripts += [chance.randbytes(chance.randrange(1, 12)).hex() for _ in range(300)]
        for script in scripts:
            self.compare("decodescript", script)
        for kind in (), ("legacy",), ("p2sh-segwit",), ("bech32",), ("bech32m",), ("x",):
            self.compare("createmultisig", 2, KEYS, *kind)
            self.compare("createmultisig", 1, [LONG_KEY], *kind)
        for required, keys in (0, KEYS), (3, KEYS), (1, []), (-1, KEYS), (1, KEYS * 11), (1, [KEYS[0]] * 16):
            self.compare("createmultisig", required, keys)
        for key in "x", "00", "02" * 33, KEYS[0][2:]:
            self.compare("createmultisig", 1, [key])

    def test_control(self):
        self.compare("echo", 1, "x", None, {"a": []})
        self.compare("echojson")
        self.compare("logging")
        self.compare("logging", [], ["x"])
        self.compare("ping")
        self.compare("mockscheduler", 1)
        self.compare("mockscheduler", 0)
        self.compare("mockscheduler", 3601)
        self.compare("getaddednodeinfo")
        self.compare("getaddednodeinfo", "127.0.0.1:1")
        self.compare("setnetworkactive", False)
        for client in self.petal, self.core:
            self.assertFalse(client.getnetworkinfo()["networkactive"])
        self.compare("setnetworkactive", True)
        self.compare("verifychain")
        self.assertEqual(set(self.petal.getnettotals()), set(self.core.getnettotals()))
        self.assertEqual(set(self.petal.getrpcinfo()), set(self.core.getrpcinfo()))

    def test_mempool(self):
        self.petal.generatetoaddress(110, self.petal.getnewaddress())
        self.copy_blocks()
        parent = self.petal.sendtoaddress(ADDRESS, 1)
        change = next(output["n"] for output in self.petal.getrawtransaction(parent, 1)["vout"]
                      if output["scriptPubKey"].get("address") != ADDRESS)
        first = self.petal.getrawtransaction(parent)
        self.assertEqual(self.core.sendrawtransaction(first), parent)
        outpoint = self.petal.getrawtransaction(parent, 1)["vin"][0]
        place = {"txid": outpoint["txid"], "vout": outpoint["vout"]}
        self.compare("gettxspendingprevout", [place, {"txid": parent, "vout": change}])
        self.compare("gettxspendingprevout", [place], {"return_spending_tx": True})
        for wrong in [], [{}], [{"txid": parent}], [{"txid": parent, "vout": -1}], [1], [{**place, "x": 1}]:
            self.compare("gettxspendingprevout", wrong)
        for call in "getmempoolancestors", "getmempooldescendants":
            self.compare(call, parent)
            self.compare(call, NOTHING)
            self.compare(call, parent, True)
        self.compare("testmempoolaccept", [first, first])


if __name__ == "__main__":
    unittest.main()
