#include "net/discovery/dns_seed_list.h"

#include <array>
#include <charconv>

namespace petal::net {

namespace {

/// The labels that a seed answers.
enum class Labels : std::uint8_t {
    none,        ///< no label with NODE_BLOOM
    xd,          ///< x5 and xd
    xd_and_x40c  ///< also x40c, for pruned nodes
};

struct Seed {
    std::string_view network;
    std::string_view name;
    Labels labels;
};

// Bitcoin Core: kernel/chainparams.cpp, vSeeds, with the labels listed there. A seed without listed
// labels is queried for xd, too. If the name does not exist, nothing is lost.
constexpr std::array kSeeds = {
    Seed{"mainnet", "seed.bitcoin.jonasschnelli.ch", Labels::xd},
    Seed{"mainnet", "seed.btc.petertodd.net", Labels::xd},
    Seed{"mainnet", "seed.bitcoin.sprovoost.nl", Labels::xd},
    Seed{"mainnet", "dnsseed.emzy.de", Labels::xd},
    Seed{"mainnet", "seed.bitcoin.wiz.biz", Labels::xd},
    Seed{"mainnet", "seed.mainnet.achownodes.xyz", Labels::xd_and_x40c},
    Seed{"mainnet", "dnsseed.bluematt.me", Labels::none},
    Seed{"testnet3", "testnet-seed.bitcoin.jonasschnelli.ch", Labels::xd},
    Seed{"testnet3", "seed.tbtc.petertodd.net", Labels::xd},
    Seed{"testnet3", "seed.testnet.achownodes.xyz", Labels::xd_and_x40c},
    Seed{"testnet3", "testnet-seed.bluematt.me", Labels::none},
    Seed{"testnet4", "seed.testnet4.bitcoin.sprovoost.nl", Labels::xd},
    Seed{"testnet4", "seed.testnet4.wiz.biz", Labels::xd},
    Seed{"signet", "seed.signet.bitcoin.sprovoost.nl", Labels::xd},
    Seed{"signet", "seed.signet.achownodes.xyz", Labels::xd_and_x40c},
};

struct Round {
    std::string_view label;
    Labels least;
};

// In order of use, by the services that the label requests:
// 1. NETWORK, BLOOM and WITNESS: serve filters, and transactions with witnesses.
// 2. NETWORK and BLOOM: serve filters. The answer includes the nodes of round 1.
// 3. Pruned nodes with BLOOM and WITNESS.
// 4. Any node.
constexpr std::array kRounds = {
    Round{"xd.", Labels::xd},
    Round{"x5.", Labels::xd},
    Round{"x40c.", Labels::xd_and_x40c},
    Round{"", Labels::none},
};

}  // namespace

std::vector<std::string> dns_seed_names(std::string_view network) {
    std::vector<std::string> names;
    for (const Round& round : kRounds) {
        for (const Seed& seed : kSeeds) {
            if (seed.network != network || seed.labels < round.least) continue;
            names.push_back(std::string{round.label}.append(seed.name));
        }
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
