#include "net/discovery/dns_seed_list.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "net/wire/messages.h"

namespace petal::net {

namespace {

/// The labels that a seed answers.
enum class Labels : std::uint8_t {
    none,  ///< only x9, the label of Bitcoin Core
    few,   ///< x1, x5, x9 and xd
    many,  ///< kManyLabels
};

constexpr std::array<std::uint64_t, 4> kFewLabels{0x1, 0x5, 0x9, 0xd};
constexpr std::array<std::uint64_t, 14> kManyLabels{
    0x1, 0x5, 0x9, 0xd, 0x49, 0x809, 0x849, 0x400, 0x404, 0x408, 0x40c, 0x448, 0xc08, 0xc48};

struct Seed {
    std::string_view network;
    std::string_view name;
    Labels labels;
};

// Bitcoin Core: kernel/chainparams.cpp, vSeeds, with the labels listed there. A seed without listed
// labels is queried for all. If the name does not exist, nothing is lost. seed.bitcoin.sipa.be was
// in Bitcoin Core's list until 2026. Its operator will shut it down, and then its names are
// unknown.
constexpr std::array kSeeds = {
    Seed{"mainnet", "seed.bitcoin.jonasschnelli.ch", Labels::few},
    Seed{"mainnet", "seed.btc.petertodd.net", Labels::few},
    Seed{"mainnet", "seed.bitcoin.sprovoost.nl", Labels::many},
    Seed{"mainnet", "dnsseed.emzy.de", Labels::many},
    Seed{"mainnet", "seed.bitcoin.wiz.biz", Labels::many},
    Seed{"mainnet", "seed.mainnet.achownodes.xyz", Labels::many},
    Seed{"mainnet", "seed.bitcoin.sipa.be", Labels::few},
    Seed{"mainnet", "dnsseed.bluematt.me", Labels::none},
    Seed{"testnet3", "testnet-seed.bitcoin.jonasschnelli.ch", Labels::many},
    Seed{"testnet3", "seed.tbtc.petertodd.net", Labels::many},
    Seed{"testnet3", "seed.testnet.achownodes.xyz", Labels::many},
    Seed{"testnet3", "testnet-seed.bluematt.me", Labels::none},
    Seed{"testnet4", "seed.testnet4.bitcoin.sprovoost.nl", Labels::many},
    Seed{"testnet4", "seed.testnet4.wiz.biz", Labels::many},
    Seed{"signet", "seed.signet.bitcoin.sprovoost.nl", Labels::many},
    Seed{"signet", "seed.signet.achownodes.xyz", Labels::many},
};

bool has_label(const Seed& seed, std::uint64_t services) {
    switch (seed.labels) {
        case Labels::none:
            return false;
        case Labels::few:
            return std::ranges::count(kFewLabels, services) > 0;
        case Labels::many:
            break;
    }
    return std::ranges::count(kManyLabels, services) > 0;
}

std::string label_of(std::uint64_t services) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), services, 16).ptr;
    return "x" + std::string(digits.begin(), end) + ".";
}

}  // namespace

std::vector<std::string> dns_seed_names(std::string_view network, std::uint64_t services) {
    // In order of use, of which 1 to 3 only if more than NODE_NETWORK is needed:
    // 1. Nodes that also have NODE_WITNESS, so that transactions have witnesses.
    // 2. Nodes with the services. The answer includes the nodes of round 1.
    // 3. Nodes with the services but NODE_NETWORK, which may be pruned. Each answer is a sample, so
    //    this one has further nodes with NODE_NETWORK, too.
    // 4. Any node.
    const std::uint64_t recent = (services & ~kNodeNetwork) | kNodeNetworkLimited;
    const bool needs_label = (services & ~kNodeNetwork) != 0;
    std::vector<std::string> names;
    for (const std::uint64_t label : {services | kNodeWitness, services, recent | kNodeWitness}) {
        for (const Seed& seed : kSeeds) {
            if (!needs_label || seed.network != network || !has_label(seed, label)) continue;
            names.push_back(label_of(label).append(seed.name));
        }
    }
    for (const Seed& seed : kSeeds) {
        if (seed.network == network) names.emplace_back(seed.name);
    }
    return names;
}

std::uint64_t services_asked_of(std::string_view seed) {
    const std::string_view label = seed.substr(0, seed.find('.'));
    if (label.size() < 2 || label.front() != 'x' || label.size() == seed.size()) return 0;
    std::uint64_t services = 0;
    const char* end = label.data() + label.size();
    const auto read = std::from_chars(label.data() + 1, end, services, 16);
    return read.ec == std::errc{} && read.ptr == end ? services : 0;
}

}  // namespace petal::net
