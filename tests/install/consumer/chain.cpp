/// Computes the hash of a network's first block.
#include <petal/chain/network_params.h>

#include <cstdio>

int main() {
    const petal::chain::BlockHash hash = petal::chain::find_network("mainnet")->genesis.hash();
    std::printf("%s\n", hash.to_hex().c_str());
}
