// go test payment_test.go: a regtest node that answers Bitcoin Core's JSON-RPC, new for each test.
package regtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// startNode returns a call of the node's RPC, and the port for the wallet under test.
func startNode(t *testing.T) (func(method string, params ...any) any, int) {
	program := os.Getenv("PETAL")
	if program == "" {
		program = "petal"
	}
	node := exec.Command(program, "regtest-node", "--port", "0", "--rpc", "0", "--json")
	output, _ := node.StdoutPipe()
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		node.Process.Signal(os.Interrupt) // so that it removes its cookie
		node.Wait()
	})
	var ready map[string]any
	json.NewDecoder(output).Decode(&ready)
	cookie, _ := os.ReadFile(ready["rpc_cookie_file"].(string))
	user, password, _ := strings.Cut(string(cookie), ":")
	call := func(method string, params ...any) any {
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": append([]any{}, params...), "id": 1})
		url := fmt.Sprintf("http://127.0.0.1:%v/", ready["rpc_port"])
		request, _ := http.NewRequest("POST", url, bytes.NewReader(body))
		request.SetBasicAuth(user, password)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var answer map[string]any
		json.NewDecoder(response.Body).Decode(&answer)
		if answer["error"] != nil {
			t.Fatal(method, ": ", answer["error"])
		}
		return answer["result"]
	}
	return call, int(ready["port"].(float64))
}

func TestPaymentConfirms(t *testing.T) {
	rpc, _ := startNode(t)
	txid := rpc("sendtoaddress", "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", 0.5)
	blocks := rpc("generatetoaddress", 1, rpc("getnewaddress")).([]any)
	confirmed := rpc("getblock", blocks[0]).(map[string]any)["tx"].([]any)
	if confirmed[1] != txid {
		t.Error("the payment is not in the block")
	}
}
