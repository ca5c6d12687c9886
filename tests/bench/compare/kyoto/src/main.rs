//! Syncs a watch-only wallet by compact filters with Kyoto (the crate bip157), for compare.py:
//!
//!     kyoto HOST:PORT HEIGHT ACCOUNT_KEY
//!
//! Prints as one line of JSON how many transactions concern the wallet. The wallet has the first 1,000 addresses of each
//! chain, as many as petal's new wallets.

use std::collections::HashSet;
use std::error::Error;
use std::net::SocketAddr;

use bip157::tokio::{self, sync::oneshot};
use bip157::{Builder, Event, Network, ScriptBuf, TrustedPeer};
use bitcoin::bip32::{ChildNumber, Xpub};
use bitcoin::secp256k1::Secp256k1;
use bitcoin::{Block, OutPoint};

const ADDRESSES: u32 = 1_000;

fn scripts_of(account: &Xpub) -> Result<HashSet<ScriptBuf>, Box<dyn Error>> {
    let secp = Secp256k1::verification_only();
    let mut scripts = HashSet::new();
    for chain in 0..2 {
        for index in 0..ADDRESSES {
            let path = [ChildNumber::from_normal_idx(chain)?, ChildNumber::from_normal_idx(index)?];
            let key = account.derive_pub(&secp, &path)?.to_pub();
            scripts.insert(ScriptBuf::new_p2wpkh(&key.wpubkey_hash()));
        }
    }
    Ok(scripts)
}

/// The number of the block's transactions that pay the scripts, or spend the coins, to which it adds those that are paid.
fn count_matches(block: &Block, scripts: &HashSet<ScriptBuf>, coins: &mut HashSet<OutPoint>) -> usize {
    let mut count = 0;
    for transaction in &block.txdata {
        let mut matches = transaction.input.iter().any(|input| coins.contains(&input.previous_output));
        let txid = transaction.compute_txid();
        for (index, output) in transaction.output.iter().enumerate() {
            if scripts.contains(&output.script_pubkey) {
                coins.insert(OutPoint::new(txid, index as u32));
                matches = true;
            }
        }
        count += usize::from(matches);
    }
    count
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, height, account] = arguments.as_slice() else {
        return Err("usage: kyoto HOST:PORT HEIGHT ACCOUNT_KEY".into());
    };
    let height: u32 = height.parse()?;
    let scripts = scripts_of(&account.parse()?)?;
    let mut transactions = 0;
    if height > 0 {
        let peer = TrustedPeer::from_socket_addr(address.parse::<SocketAddr>()?);
        let (node, mut client) = Builder::new(Network::Regtest).add_peer(peer).whitelist_only().build();
        tokio::spawn(node.run());
        let mut blocks: Vec<oneshot::Receiver<_>> = Vec::new();
        loop {
            match client.event_rx.recv().await.ok_or("the node ended")? {
                Event::IndexedFilter(filter) if filter.contains_any(scripts.iter()) => {
                    blocks.push(client.requester.request_block(filter.block_hash())?);
                }
                Event::FiltersSynced(update) if update.tip().height >= height => break,
                _ => (),
            }
        }
        let mut coins = HashSet::new();
        for block in blocks {
            transactions += count_matches(&block.await??.block, &scripts, &mut coins);
        }
        client.requester.shutdown()?;
    }
    println!("{{\"transactions\": {transactions}}}");
    Ok(())
}
