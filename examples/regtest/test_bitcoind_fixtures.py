"""Fixtures of other projects that start bitcoind by themselves, here with petal-bitcoind in its place."""

import os, pathlib, shutil, socket, subprocess, time

import bitcoin
import bitcoin.rpc
import pytest
from bitcoin.core import COIN, lx
from pyln.testing.utils import BitcoinD

BITCOIND = os.environ.get("BITCOIND_EXE") or shutil.which("petal-bitcoind")
PAYEE = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"


@pytest.fixture
def bitcoind(tmp_path):
    """pyln-testing's own: it waits for `Done loading`, and makes a wallet."""
    node = BitcoinD(bitcoin_dir=str(tmp_path))
    node.cmd_line[0] = BITCOIND
    node.start()
    node.generate_block(101)
    yield node
    node.stop()


def test_pyln_testing(bitcoind):
    txid = bitcoind.rpc.sendtoaddress(PAYEE, 1)
    [block] = bitcoind.generate_block(1, wait_for_mempool=txid)
    bitcoind.wait_for_log(f"UpdateTip: new best={block} height=102")
    assert txid in bitcoind.rpc.getblock(block)["tx"]
    bitcoind.simple_reorg(102)
    assert bitcoind.rpc.getblockcount() == 103
    assert txid in bitcoind.rpc.getblock(bitcoind.rpc.getblockhash(102))["tx"]


@pytest.fixture
def proxy(tmp_path):
    """python-bitcoinlib finds the port and the cookie by bitcoin.conf."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = tmp_path / "bitcoin.conf"
    config.write_text(f"regtest=1\nprinttoconsole=0\nrpcport={port}\ndatadir={tmp_path}\n"
                      f"[regtest]\nrpcport={port}\nport=0\nfallbackfee=0.0002\n")
    bitcoin.SelectParams("regtest")
    node = subprocess.Popen([BITCOIND, f"-datadir={tmp_path}"])
    while not pathlib.Path(tmp_path, "regtest", ".cookie").exists():
        assert node.poll() is None
        time.sleep(0.01)
    yield bitcoin.rpc.Proxy(btc_conf_file=str(config))
    node.terminate()
    assert node.wait(30) == 0


def test_python_bitcoinlib(proxy):
    proxy.call("createwallet", "tests")
    address = proxy.getnewaddress()
    proxy.generatetoaddress(101, address)
    assert proxy.getbalance() == 50 * COIN
    txid = proxy.sendtoaddress(bitcoin.wallet.CBitcoinAddress(PAYEE), COIN)
    assert proxy.getrawmempool() == [txid]
    [block] = proxy.generatetoaddress(1, address)
    assert any(tx.GetTxid() == txid for tx in proxy.getblock(block).vtx)
