// node --test: a regtest node that answers Bitcoin Core's JSON-RPC, new for each test.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";

async function startNode(t) {
  const program = process.env.PETAL ?? "petal";
  const node = spawn(program, ["regtest-node", "--port", "0", "--rpc", "0", "--json"]);
  t.after(() => node.kill());
  const lines = createInterface({ input: node.stdout })[Symbol.asyncIterator]();
  const ready = JSON.parse((await lines.next()).value); // ready.port is for the wallet under test
  const authorization = "Basic " + readFileSync(ready.rpc_cookie_file).toString("base64");
  return async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const url = `http://127.0.0.1:${ready.rpc_port}/`;
    const answer = await fetch(url, { method: "POST", headers: { authorization }, body });
    const { result, error } = await answer.json();
    assert.ok(!error, `${method}: ${error?.message}`);
    return result;
  };
}

test("a payment confirms", async (t) => {
  const rpc = await startNode(t);
  const txid = await rpc("sendtoaddress", "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", 0.5);
  const [block] = await rpc("generatetoaddress", 1, await rpc("getnewaddress"));
  assert.ok((await rpc("getblock", block)).tx.includes(txid));
});
