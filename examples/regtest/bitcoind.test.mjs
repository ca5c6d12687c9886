// petal-bitcoind in place of bitcoind, driven by the client `bitcoin-core` of npm.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import Client from "bitcoin-core";

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

test("a payment confirms", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bitcoind-"));
  const port = await freePort();
  const node = spawn(process.env.BITCOIND_EXE ?? "petal-bitcoind", [
    "-regtest", `-datadir=${folder}`, "-server", "-listen=0", "-txindex", "-fallbackfee=0.0002",
    `-rpcport=${port}`, "-rpcuser=user", "-rpcpassword=secret",
  ]);
  try {
    for await (const line of createInterface({ input: node.stdout })) if (line.includes("Done loading")) break;
    const client = new Client({ host: `http://127.0.0.1:${port}`, username: "user", password: "secret" });
    const address = await client.command("getnewaddress");
    await client.command("generatetoaddress", 101, address);
    assert.equal(await client.command("getbalance"), 50);
    const txid = await client.command("sendtoaddress", "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", 1);
    const [block] = await client.command("generatetoaddress", 1, address);
    assert.ok((await client.command("getblock", block)).tx.includes(txid));
    assert.equal(await client.command("stop"), "Bitcoin Core stopping");
    const [status] = node.exitCode === null ? await once(node, "exit") : [node.exitCode];
    assert.equal(status, 0);
  } finally {
    node.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});
