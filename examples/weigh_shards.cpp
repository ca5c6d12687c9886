// Shows what one filter, or the filters of a wallet divided among several, reveal to the peers that
// hold them.
//
//     weigh_shards RATE
//
// RATE is the false positive rate of each filter. With several filters ("shards"), each address is
// in one of them, and each filter goes to peers of its own.
#include <cstdlib>
#include <iostream>
#include <optional>

#include <petal/bloom/measures/evidence.h>
#include <petal/bloom/measures/log_probability.h>

namespace {

using namespace petal;

/// Addresses of others, among which an owner's are to be identified.
constexpr double kRivals = 1e8;
/// A tenth of all peers belongs to one observer; a shard has had two peers at a time, ten times.
constexpr double kHostileShare = 0.1;
constexpr double kPeersOfShard = 20;
/// Addresses of one owner that are suspected to be the wallet's, and the prior probability.
constexpr double kCluster = 3;
constexpr double kPrior = 1e-6;
/// A client of BIP157 asks for the blocks that its own filters match.
constexpr double kFetched = 500;
constexpr double kBlocks = 500'000;

}  // namespace

int main(int argc, char** argv) {
    const double given = argc == 2 ? std::atof(argv[1]) : 0;
    if (given <= 0 || given >= 1) {
        std::cerr << "usage: weigh_shards RATE\n";
        return 2;
    }
    const auto rate = bloom::LogProbability::of(given);
    std::cout.precision(3);

    const double exposure = bloom::shard_exposure(kHostileShare, kPeersOfShard);
    for (const unsigned shards : {1U, 2U, 4U, 8U}) {
        const double bits = bloom::shard_evidence(shards, rate);
        const auto cluster = bloom::conclusive_cluster(bits, kRivals);
        std::cout << shards << (shards == 1 ? " filter: " : " shards: ") << bits
                  << " bits an address, " << cluster.value_or(0)
                  << " addresses single out their owner, both ends of a spend seen: "
                  << bloom::both_ends_exposure(shards, exposure) << '\n';
    }
    std::cout << "a filter seen by an observer of a tenth of all peers: " << exposure << '\n';

    std::cout << "one in a million before, and " << kCluster
              << " addresses that all match: " << bloom::posterior(kPrior, rate, kCluster) << '\n';

    for (const unsigned peers : {1U, 64U}) {
        std::cout << "BIP157, blocks from " << peers << (peers == 1 ? " peer: " : " peers: ")
                  << bloom::block_fetch_evidence(kFetched, kBlocks, peers) << " bits an address\n";
    }
}
