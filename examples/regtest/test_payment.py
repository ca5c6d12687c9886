"""A fixture for pytest: a regtest node that answers Bitcoin Core's JSON-RPC, new for each test."""

import base64, json, os, pathlib, subprocess, urllib.request

import pytest


@pytest.fixture
def rpc():
    command = [os.environ.get("PETAL", "petal"), "regtest-node", "--port", "0", "--rpc", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as node:
        ready = json.loads(node.stdout.readline())
        cookie = base64.b64encode(pathlib.Path(ready["rpc_cookie_file"]).read_bytes()).decode()

        def call(method, *arguments):
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": arguments}).encode()
            request = urllib.request.Request(f"http://127.0.0.1:{ready['rpc_port']}/", body)
            request.add_header("Authorization", "Basic " + cookie)
            with urllib.request.urlopen(request) as answer:
                reply = json.load(answer)
            assert "error" not in reply, reply["error"]["message"]
            return reply["result"]

        call.port = ready["port"]  # for the wallet under test
        yield call
        node.terminate()


def test_a_payment_confirms(rpc):
    txid = rpc("sendtoaddress", "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", 0.5)
    [block] = rpc("generatetoaddress", 1, rpc("getnewaddress"))
    assert txid in rpc("getblock", block)["tx"]
