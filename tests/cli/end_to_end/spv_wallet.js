// bcoin's SPV node with its wallet, driven by lines: connects to the port that is its argument.
'use strict';
const {SPVNode, wallet} = require('bcoin');
const readline = require('readline');

const [port, httpPort, walletPort] = process.argv.slice(2);
const node = new SPVNode({
  network: 'regtest', memory: true, workers: false, listen: false, logConsole: false,
  only: [`127.0.0.1:${port}`], httpPort: Number(httpPort), walletHttpPort: Number(walletPort),
});
const {wdb} = node.use(wallet.plugin);

const say = answer => console.log(JSON.stringify(answer));

async function answer(command) {
  const account = await wdb.primary.getAccount('default');
  // bcoin has prefixes of its own for regtest; Bitcoin Core's are those of testnet.
  if (command === 'address') return {address: account.receiveAddress().toString('testnet')};
  const {confirmed, unconfirmed} = await wdb.primary.getBalance();
  return {confirmed, unconfirmed, height: wdb.state.height, tip: node.chain.tip.rhash()};
}

(async () => {
  await node.open();
  await node.connect();
  node.startSync();
  for await (const line of readline.createInterface({input: process.stdin})) say(await answer(line));
  await node.close();
})().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
