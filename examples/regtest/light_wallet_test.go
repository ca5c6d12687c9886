// A light wallet on neutrino (compact filters) under test: it syncs from the node, pays, and follows a reorganisation.
// It runs beside payment_test.go, in a module with github.com/lightninglabs/neutrino and
// github.com/btcsuite/btcwallet/walletdb/bdb.
package regtest

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/btcsuite/btcd/chaincfg/chainhash"
	"github.com/btcsuite/btcd/rpcclient"
	"github.com/btcsuite/btcd/txscript"
	"github.com/btcsuite/btcd/wire"
	"github.com/btcsuite/btcwallet/walletdb"
	_ "github.com/btcsuite/btcwallet/walletdb/bdb"
	"github.com/lightninglabs/neutrino"
	"github.com/lightninglabs/neutrino/headerfs"
)

const limit = 30 * time.Second

var params = &chaincfg.RegressionNetParams

// A block that the chain got (connected) or lost, and its transactions that concern the wallet.
type blockEvent struct {
	height    int32
	connected bool
	paid      []*btcutil.Tx
}

type lightWallet struct {
	chain   *neutrino.ChainService
	key     *btcec.PrivateKey
	address btcutil.Address
	script  []byte
	blocks  chan blockEvent
}

// startWallet makes a wallet of one key, whose only peer is the node at the port.
func startWallet(t *testing.T, port int) *lightWallet {
	folder := t.TempDir()
	database, err := walletdb.Create("bdb", filepath.Join(folder, "neutrino.db"), true, limit)
	check(t, err)
	chain, err := neutrino.NewChainService(neutrino.Config{
		DataDir:      folder,
		Database:     database,
		ChainParams:  *params,
		ConnectPeers: []string{fmt.Sprintf("127.0.0.1:%d", port)},
	})
	check(t, err)
	check(t, chain.Start())

	key, _ := btcec.PrivKeyFromBytes(chainhash.HashB([]byte("wallet")))
	address, err := btcutil.NewAddressWitnessPubKeyHash(btcutil.Hash160(key.PubKey().SerializeCompressed()), params)
	check(t, err)
	script, err := txscript.PayToAddrScript(address)
	check(t, err)
	wallet := &lightWallet{chain, key, address, script, make(chan blockEvent, 1000)}
	wallet.watch(t)
	t.Cleanup(func() {
		chain.Stop()
		database.Close()
	})
	return wallet
}

// watch searches all blocks, and those that come, for the wallet's address.
func (wallet *lightWallet) watch(t *testing.T) {
	quit := make(chan struct{})
	t.Cleanup(func() { close(quit) })
	genesis := &headerfs.BlockStamp{Hash: *params.GenesisHash}
	neutrino.NewRescan(&neutrino.RescanChainSource{ChainService: wallet.chain},
		neutrino.StartBlock(genesis),
		neutrino.WatchAddrs(wallet.address),
		neutrino.QuitChan(quit),
		neutrino.NotificationHandlers(rpcclient.NotificationHandlers{
			OnFilteredBlockConnected: func(height int32, _ *wire.BlockHeader, paid []*btcutil.Tx) {
				wallet.blocks <- blockEvent{height, true, paid}
			},
			OnFilteredBlockDisconnected: func(height int32, _ *wire.BlockHeader) {
				wallet.blocks <- blockEvent{height, false, nil}
			},
		}),
	).Start()
}

// await returns the first event of the block at the height.
func (wallet *lightWallet) await(t *testing.T, height int32, connected bool) blockEvent {
	deadline := time.After(limit)
	for {
		select {
		case event := <-wallet.blocks:
			if event.height == height && event.connected == connected {
				return event
			}
		case <-deadline:
			t.Fatalf("block %d: no event (connected: %v)", height, connected)
		}
	}
}

// pay spends an output of the received transaction to the wallet itself, less the fee.
func (wallet *lightWallet) pay(t *testing.T, received *btcutil.Tx) *wire.MsgTx {
	for index, output := range received.MsgTx().TxOut {
		if string(output.PkScript) != string(wallet.script) {
			continue
		}
		payment := wire.NewMsgTx(2)
		payment.AddTxIn(wire.NewTxIn(wire.NewOutPoint(received.Hash(), uint32(index)), nil, nil))
		payment.AddTxOut(wire.NewTxOut(output.Value-1000, wallet.script))
		fetcher := txscript.NewCannedPrevOutputFetcher(output.PkScript, output.Value)
		witness, err := txscript.WitnessSignature(payment, txscript.NewTxSigHashes(payment, fetcher), 0, output.Value,
			output.PkScript, txscript.SigHashAll, wallet.key, true)
		check(t, err)
		payment.TxIn[0].Witness = witness
		check(t, wallet.chain.SendTransaction(payment))
		return payment
	}
	t.Fatal("the transaction does not pay the wallet")
	return nil
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func only(t *testing.T, event blockEvent, txid string) *btcutil.Tx {
	t.Helper()
	if len(event.paid) != 1 || event.paid[0].Hash().String() != txid {
		t.Fatalf("block %d: %v is not %s alone", event.height, event.paid, txid)
	}
	return event.paid[0]
}

func TestSyncsPaysAndFollowsAReorganisation(t *testing.T) {
	rpc, port := startNode(t)
	mine := func() string {
		return rpc("generatetoaddress", 1, rpc("getnewaddress")).([]any)[0].(string)
	}
	height := func() int32 { return int32(rpc("getblockcount").(float64)) }
	wallet := startWallet(t, port)

	received := rpc("sendtoaddress", wallet.address.String(), 0.5).(string)
	mine()
	coin := only(t, wallet.await(t, height(), true), received)

	spent := wallet.pay(t, coin).TxHash().String()
	if pool := rpc("getrawmempool").([]any); len(pool) != 1 || pool[0] != spent {
		t.Fatal(spent, " is not in the mempool, but ", pool)
	}
	block := mine()
	only(t, wallet.await(t, height(), true), spent)

	undone := height()
	rpc("invalidateblock", block)
	for i := 0; i < 2; i++ { // a longer branch without the payment
		rpc("generateblock", rpc("getnewaddress"), []any{})
	}
	wallet.await(t, undone, false)
	if paid := wallet.await(t, undone+1, true).paid; len(paid) != 0 {
		t.Fatal("an empty block has ", paid)
	}
	mine()
	only(t, wallet.await(t, undone+2, true), spent)
}
