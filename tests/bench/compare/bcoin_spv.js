// bcoin's SPV node, in memory, with a watch-only wallet: syncs from one peer up to a height, and says what the
// wallet has.
//
//     node bcoin_spv.js HOST:PORT HEIGHT ACCOUNT_KEY
'use strict';
const {HDPublicKey, SPVNode, wallet} = require('bcoin');

const [endpoint, height, accountKey] = process.argv.slice(2);
const node = new SPVNode({
  network: 'regtest', memory: true, workers: false, listen: false, logConsole: false, noDns: true,
  only: [endpoint], httpPort: 0, walletHttpPort: 0
});
const {wdb} = node.use(wallet.plugin);

(async () => {
  await node.open();
  const watching = await wdb.create({
    id: 'compared', watchOnly: true, witness: true,
    accountKey: HDPublicKey.fromBase58(accountKey, 'testnet')
  });
  await watching.setLookahead(0, 40); // the most that it allows; create() takes none
  await node.connect();
  node.startSync();
  while (node.chain.height < Number(height) || wdb.state.height < Number(height))
    await new Promise(later => setTimeout(later, 20));
  // The height moves before the block's transactions are in the wallet.
  const unlock = await wdb.txLock.lock();
  unlock();
  const {confirmed} = await watching.getBalance();
  const history = await watching.getHistory();
  console.log(JSON.stringify({confirmed_sat: confirmed, transactions: history.length}));
  process.exit(0);
})().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
