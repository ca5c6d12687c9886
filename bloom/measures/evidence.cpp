#include "bloom/measures/evidence.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "chain/enum_table.h"

namespace petal::bloom {
namespace {

/// If fewer chains than this are expected to match by chance, a chain that matches is the wallet's.
constexpr double kFewChains = 0.01;
/// A bound for the rounding error of a result that should be a whole number.
constexpr double kRoundingSlack = 1e-9;

/// Bits of an answer that is "yes" with probability p for the wallet's addresses and q for foreign
/// addresses.
double divergence(double p, double q) {
    double bits = p * std::log2(p / q);
    if (p < 1) bits += (1 - p) * (std::log1p(-p) - std::log1p(-q)) / std::log(2.0);
    return bits;
}

}  // namespace

double bits_per_match(LogProbability rate) {
    return rate.ln() == 0 ? 0 : -rate.log2();
}

double posterior(double prior, LogProbability rate, double members) {
    assert(prior >= 0 && prior <= 1);
    const double chance = (1 - prior) * std::exp(rate.ln() * members);
    return prior == 0 ? 0 : prior / (prior + chance);
}

std::optional<std::uint64_t> conclusive_cluster(double bits_each, double rivals) {
    if (!(bits_each > 0)) return std::nullopt;
    const double members =
        std::ceil(std::log2(rivals * kConclusiveOdds) / bits_each - kRoundingSlack);
    return static_cast<std::uint64_t>(std::clamp(members, 1.0, 1e18));
}

double shard_evidence(unsigned shards, LogProbability rate) {
    assert(shards >= 1);
    if (shards == 1) return bits_per_match(rate);
    const double f = rate.value();
    if (f >= 1) return 0;
    const double share = 1.0 / shards;
    const double matches = share + (1 - share) * f;
    const double yes = matches * (std::log2(matches) - rate.log2());
    return yes + (1 - matches) * (std::log1p(-matches) - std::log1p(-f)) / std::log(2.0);
}

double block_fetch_evidence(double fetched, double blocks, unsigned peers) {
    assert(peers >= 1 && fetched > 0 && fetched <= blocks);
    const double share = 1.0 / peers;
    return divergence(share, fetched / blocks * share);
}

double shard_exposure(double hostile_share, double peers) {
    assert(hostile_share >= 0 && hostile_share <= 1);
    return -std::expm1(peers * std::log1p(-hostile_share));
}

double both_ends_exposure(unsigned shards, double exposure) {
    const double share = 1.0 / shards;
    return exposure * share + (1 - share) * exposure * exposure;
}

double false_chains(const World& world, LogProbability rate, unsigned length) {
    assert(length >= 1);
    return std::exp(std::log(world.outputs()) + (length - 1) * std::log(world.branching()) +
                    length * rate.ln());
}

std::optional<unsigned> conclusive_chain(const World& world, LogProbability rate) {
    const double shrinks = rate.ln() + std::log(world.branching());
    if (shrinks >= 0) return std::nullopt;
    const double excess = std::log(world.outputs() / world.branching() / kFewChains);
    const double length = std::max(1.0, std::floor(excess / -shrinks) + 1);
    return length < 1e9 ? std::optional(static_cast<unsigned>(length)) : std::nullopt;
}

std::string_view key_of(DerivablePair pair) {
    using enum DerivablePair;
    static constexpr auto kKeys = chain::enum_table<DerivablePair, std::string_view>({
        {key_and_hash, "key-and-hash"},
        {hash_and_wrapped_hash, "hash-and-wrapped-hash"},
        {script_and_hash, "script-and-hash"},
        {address_and_coin, "address-and-coin"},
    });
    return kKeys[pair];
}

std::vector<PairClass> derivable_pairs(const World& world) {
    using enum DerivablePair;
    return {{key_and_hash, world.exposed_keys},
            {hash_and_wrapped_hash, world.addresses},
            {script_and_hash, world.exposed_keys},
            {address_and_coin, world.unspent_outputs}};
}

double false_pairs(double candidates, LogProbability rate) {
    return candidates * std::exp(2 * rate.ln());
}

}  // namespace petal::bloom
