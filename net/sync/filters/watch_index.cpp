#include "net/sync/filters/watch_index.h"

#include <cstdint>

#include "chain/script/script.h"

namespace petal::net {

namespace {

constexpr std::size_t kOutpointElementBytes = 36;

// The only push of the most frequent templates. Empty for any other script.
chain::ByteView only_push(chain::ByteView script) {
    using chain::ByteView;
    constexpr std::size_t kHash = 20;
    constexpr std::size_t kProgram = 32;
    const auto begins_with = [&](auto... bytes) {
        std::size_t i = 0;
        return ((script[i++] == bytes) && ...);
    };
    switch (script.size()) {
        case 2 + kHash:
            return begins_with(chain::kOp0, kHash) ? script.last(kHash) : ByteView{};
        case 2 + kProgram:
            return begins_with(chain::kOp0, kProgram) || begins_with(chain::kOp1, kProgram)
                       ? script.last(kProgram)
                       : ByteView{};
        case 3 + kHash:
            return begins_with(chain::kOpHash160, kHash) && script.back() == chain::kOpEqual
                       ? script.subspan(2, kHash)
                       : ByteView{};
        case 5 + kHash:
            return begins_with(chain::kOpDup, chain::kOpHash160, kHash) &&
                           script[3 + kHash] == chain::kOpEqualVerify &&
                           script.back() == chain::kOpCheckSig
                       ? script.subspan(3, kHash)
                       : ByteView{};
        default:
            return {};
    }
}

template <typename IsWanted>
bool any_push(chain::ByteView script, IsWanted is_wanted) {
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        if (!operation->data.empty() && is_wanted(operation->data)) return true;
    }
    return false;
}

}  // namespace

WatchIndex::WatchIndex(std::span<const chain::Bytes> elements,
                       const chain::WatchedOutpoints& outpoints) {
    elements_.reserve(elements.size());
    outpoints_.reserve(outpoints.confirmed.size() + outpoints.unconfirmed.size());
    for (const chain::Bytes& element : elements) insert(element);
    outpoints_.insert(outpoints.confirmed.begin(), outpoints.confirmed.end());
    outpoints_.insert(outpoints.unconfirmed.begin(), outpoints.unconfirmed.end());
}

// To a filter, an outpoint is an element of 36 bytes.
void WatchIndex::insert(chain::ByteView element) {
    if (element.size() == kOutpointElementBytes) {
        insert(chain::to_outpoint(element));
    } else if (!elements_.contains(element)) {
        elements_.emplace(element.begin(), element.end());
        element_sizes_.set(size_class(element));
    }
}

bool WatchIndex::contains(chain::ByteView bytes) const {
    if (bytes.size() == kOutpointElementBytes)
        return outpoints_.contains(chain::to_outpoint(bytes));
    return element_sizes_.test(size_class(bytes)) && elements_.contains(bytes);
}

bloom::MatchResult WatchIndex::match_and_update(const chain::TransactionView& transaction,
                                                const chain::Txid& txid) {
    bloom::MatchResult result;
    std::uint32_t index = 0;
    transaction.for_each_output([&](chain::Satoshis /*value*/, chain::ByteView script_pubkey) {
        const chain::Outpoint outpoint{txid, index++};
        if (!is_watched(script_pubkey)) return;
        insert(outpoint);
        result.inserted.push_back(outpoint);
    });
    result.matched = !result.inserted.empty();
    transaction.for_each_input(
        [&](chain::ByteView outpoint, chain::ByteView script_sig, std::uint32_t /*sequence*/) {
            result.matched =
                result.matched || contains(outpoint) ||
                any_push(script_sig, [this](chain::ByteView push) { return contains(push); });
        });
    return result;
}

bool WatchIndex::is_watched(chain::ByteView script_pubkey) const {
    const chain::ByteView push = only_push(script_pubkey);
    if (!push.empty()) return is_watched_output(push);
    return any_push(script_pubkey, [this](chain::ByteView any) { return is_watched_output(any); });
}

}  // namespace petal::net
