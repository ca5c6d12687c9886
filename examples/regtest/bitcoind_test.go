// petal-bitcoind in place of bitcoind, started as lnd's tests start it, and driven by btcsuite's rpcclient.
package regtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/btcsuite/btcd/rpcclient"
)

func TestPaymentThroughBitcoind(t *testing.T) {
	program := os.Getenv("BITCOIND_EXE")
	if program == "" {
		program = "petal-bitcoind"
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	node := exec.Command(program, "-datadir="+t.TempDir(), "-regtest", "-txindex", "-whitelist=127.0.0.1",
		"-rpcauth=weks:469e9bb14ab2360f8e226efed5ca6fd$507c670e800a95284294edb5773b05544b220110063096c221be9933c82d38e1",
		fmt.Sprintf("-rpcport=%d", port), "-port=0", "-disablewallet", "-peerblockfilters=1", "-blockfilterindex=1")
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	defer node.Wait()
	defer node.Process.Kill()
	client, err := rpcclient.New(&rpcclient.ConnConfig{
		Host: fmt.Sprintf("127.0.0.1:%d", port), User: "weks", Pass: "weks",
		DisableTLS: true, HTTPPostMode: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Shutdown()
	for range 1000 {
		if _, err = client.GetBlockCount(); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	version, err := client.BackendVersion()
	if err != nil {
		t.Fatal(err)
	}
	address, err := btcutil.DecodeAddress("bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", &chaincfg.RegressionNetParams)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := client.GenerateToAddress(101, address, nil)
	if err != nil || len(blocks) != 101 {
		t.Fatal(version, len(blocks), err)
	}
	block, err := client.GetBlock(blocks[100])
	if err != nil || len(block.Transactions) != 1 {
		t.Fatal(err)
	}
}
