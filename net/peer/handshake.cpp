#include "net/peer/handshake.h"

#include <string>
#include <utility>

namespace petal::net {

using chain::Unexpected;

Violation lacks_old_blocks(const Version& version) {
    if ((version.services & kNodeNetworkLimited) == 0) return {DisconnectReason::no_network, ""};
    constexpr auto kServed = static_cast<std::int32_t>(kPrunedBlocks);
    if (version.start_height < kServed) return {DisconnectReason::pruned, ""};
    return {DisconnectReason::pruned,
            "it serves blocks from " + std::to_string(version.start_height - kServed + 1)};
}

std::optional<Violation> missing_service(const HandshakeAims& aims, const Version& version) {
    std::uint64_t missing = aims.services & ~version.services;
    if (aims.accepts_pruned && is_pruned(version.services)) missing &= ~std::uint64_t{kNodeNetwork};
    // Checked first: a pruned node is unsuitable even if it serves filters.
    if ((missing & kNodeNetwork) != 0) return lacks_old_blocks(version);
    if ((missing & kNodeBloom) != 0) return Violation{DisconnectReason::no_bloom, ""};
    if ((missing & kNodeCompactFilters) != 0) {
        return Violation{DisconnectReason::no_compact_filters, ""};
    }
    return std::nullopt;
}

chain::Expected<std::vector<Message>, Violation> Handshake::on_message(const Message& message) {
    if (const auto* version = std::get_if<Version>(&message); version && !theirs_) {
        return on_version(*version);
    }
    if (std::holds_alternative<Verack>(message) && theirs_ && !verack_received_) {
        verack_received_ = true;
        std::vector<Message> wishes{SendHeaders{}};
        if (aims_.addresses) wishes.emplace_back(GetAddr{});
        return wishes;
    }
    return std::vector<Message>{};
}

chain::Expected<std::vector<Message>, Violation> Handshake::on_version(const Version& version) {
    theirs_ = version;
    if (version.nonce == ours_.nonce) return Unexpected(Violation{DisconnectReason::self, ""});
    if (version.protocol < kMinProtocolVersion) {
        return Unexpected(Violation{DisconnectReason::too_old,
                                    "protocol version " + std::to_string(version.protocol)});
    }
    if (auto missing = missing_service(aims_, version)) {
        return Unexpected(*std::move(missing));
    }
    std::vector<Message> answers;
    // BIP155: must be sent before verack.
    if (aims_.addresses && version.protocol >= kAddrV2ProtocolVersion) {
        answers.emplace_back(SendAddrV2{});
    }
    answers.emplace_back(Verack{});
    return answers;
}

}  // namespace petal::net
