// Syncs a watch-only wallet by compact filters with neutrino, for compare.py:
//
//	neutrino HOST:PORT HEIGHT ACCOUNT_KEY
//
// Prints as one line of JSON how many transactions concern the wallet. The wallet has the first 1,000 addresses of each
// chain, as many as petal's new wallets.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/btcutil/hdkeychain"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/btcsuite/btcd/rpcclient"
	"github.com/btcsuite/btcd/wire"
	"github.com/btcsuite/btcwallet/walletdb"
	_ "github.com/btcsuite/btcwallet/walletdb/bdb"
	"github.com/lightninglabs/neutrino"
	"github.com/lightninglabs/neutrino/headerfs"
)

const (
	addresses = 1000
	limit     = time.Minute
)

var params = &chaincfg.RegressionNetParams

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func addressesOf(account string) (list []btcutil.Address) {
	key, err := hdkeychain.NewKeyFromString(account)
	check(err)
	for chain := uint32(0); chain < 2; chain++ {
		branch, err := key.Derive(chain)
		check(err)
		for index := uint32(0); index < addresses; index++ {
			child, err := branch.Derive(index)
			check(err)
			public, err := child.ECPubKey()
			check(err)
			hash := btcutil.Hash160(public.SerializeCompressed())
			address, err := btcutil.NewAddressWitnessPubKeyHash(hash, params)
			check(err)
			list = append(list, address)
		}
	}
	return list
}

// sync returns the number of transactions in the blocks up to the height.
func sync(node string, height int32, watched []btcutil.Address) (transactions int) {
	folder, err := os.MkdirTemp("", "neutrino")
	check(err)
	defer os.RemoveAll(folder)
	database, err := walletdb.Create("bdb", filepath.Join(folder, "neutrino.db"), true, limit)
	check(err)
	defer database.Close()
	chain, err := neutrino.NewChainService(neutrino.Config{
		DataDir:      folder,
		Database:     database,
		ChainParams:  *params,
		ConnectPeers: []string{node},
	})
	check(err)
	check(chain.Start())
	defer chain.Stop()

	quit, done := make(chan struct{}), make(chan struct{})
	neutrino.NewRescan(&neutrino.RescanChainSource{ChainService: chain},
		neutrino.StartBlock(&headerfs.BlockStamp{Hash: *params.GenesisHash}),
		neutrino.WatchAddrs(watched...),
		neutrino.QuitChan(quit),
		neutrino.NotificationHandlers(rpcclient.NotificationHandlers{
			OnFilteredBlockConnected: func(at int32, _ *wire.BlockHeader, paid []*btcutil.Tx) {
				transactions += len(paid)
				if at == height {
					close(done)
				}
			},
		}),
	).Start()
	<-done
	close(quit)
	return transactions
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: neutrino HOST:PORT HEIGHT ACCOUNT_KEY")
	}
	height, err := strconv.ParseInt(os.Args[2], 10, 32)
	check(err)
	watched := addressesOf(os.Args[3])
	transactions := 0
	if height > 0 {
		transactions = sync(os.Args[1], int32(height), watched)
	}
	fmt.Printf("{\"transactions\": %d}\n", transactions)
}
