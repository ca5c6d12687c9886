"""A light wallet (BDK, with compact filters by Kyoto) under test: it syncs from the node, pays, and follows a
reorganisation. `pip install bdkpython pytest`."""

import asyncio

import bdkpython as bdk
import pytest

from test_payment import rpc  # the fixture

WORDS = "abandon " * 11 + "about"
ADDRESS = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"  # the first of these words
PAYEE = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
LIMIT = 30  # seconds


class LightWallet:
    """A BDK wallet whose only peer is the node."""

    def __init__(self, port, folder):
        key = bdk.DescriptorSecretKey(bdk.NetworkKind.TEST, bdk.Mnemonic.from_string(WORDS), None)
        receive, change = (
            bdk.Descriptor.new_bip84(key, keychain, bdk.NetworkKind.TEST)
            for keychain in (bdk.KeychainKind.EXTERNAL, bdk.KeychainKind.INTERNAL)
        )
        self.wallet = bdk.Wallet(receive, change, bdk.Network.REGTEST, bdk.Persister.new_in_memory())
        self.wallet.reveal_next_address(bdk.KeychainKind.EXTERNAL)
        peer = bdk.Peer(address=bdk.IpAddress.from_ipv4(127, 0, 0, 1), port=port, v2_transport=False)
        builder = bdk.CbfBuilder().peers([peer]).only_configured_peers().connections(1)
        built = builder.data_dir(str(folder)).build(self.wallet)
        self.client = built.client
        built.node.run()

    async def follow_to(self, block):
        """Applies updates until the wallet's tip is the block."""
        while str(self.wallet.latest_checkpoint().hash) != block:
            self.wallet.apply_update(await asyncio.wait_for(self.client.update(), LIMIT))

    def balance(self):
        """The confirmed balance in satoshi."""
        return self.wallet.balance().confirmed.to_sat()

    def confirms(self, txid):
        """Whether a block of the wallet's chain has the transaction."""
        return self.wallet.get_tx(bdk.Txid.from_string(txid)).chain_position.is_confirmed()

    async def pay(self, address, satoshi):
        script = bdk.Address(address, bdk.Network.REGTEST).script_pubkey()
        psbt = bdk.TxBuilder().add_recipient(script, bdk.Amount.from_sat(satoshi)).finish(self.wallet)
        assert self.wallet.sign(psbt)
        transaction = psbt.extract_tx()
        await asyncio.wait_for(self.client.broadcast(transaction), LIMIT)
        return str(transaction.compute_txid())


@pytest.fixture
def wallet(rpc, tmp_path):
    started = LightWallet(rpc.port, tmp_path)
    yield started
    started.client.shutdown()


def mine(rpc, count):
    return rpc("generatetoaddress", count, rpc("getnewaddress"))[-1]


def test_syncs_pays_and_follows_a_reorganisation(rpc, wallet):
    async def scenario():
        await wallet.follow_to(rpc("getbestblockhash"))
        rpc("sendtoaddress", ADDRESS, 0.5)
        paid_in = mine(rpc, 1)
        await wallet.follow_to(paid_in)
        assert wallet.balance() == 50_000_000

        spent = await wallet.pay(PAYEE, 10_000_000)
        assert spent in rpc("getrawmempool")
        paid_in = mine(rpc, 1)
        await wallet.follow_to(paid_in)
        assert wallet.confirms(spent)

        rpc("invalidateblock", paid_in)
        for _ in range(2):  # a longer branch without the payment
            tip = rpc("generateblock", PAYEE, [])["hash"]
        await wallet.follow_to(tip)
        assert not wallet.confirms(spent)
        assert rpc("getrawmempool") == [spent]

        await wallet.follow_to(mine(rpc, 1))
        assert wallet.confirms(spent)

    asyncio.run(scenario())
