// Puts a filter in front of a slow store, which saves most look-ups of missing entries.
//
// The store holds outputs of transactions: its row is the txid, its column the output's index. A
// filter of rows knows which transactions the store has outputs of. A filter of rows and columns
// (outpoints) also saves look-ups of other outputs of such a transaction. Both are filled from the
// store before the first look-up.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include <petal/bloom/bloom_filter.h>
#include <petal/bloom/sizing.h>
#include <petal/chain/bytes.h>
#include <petal/chain/hash.h>
#include <petal/chain/transaction.h>

namespace {

using namespace petal;

constexpr std::size_t kStored = 5'000;
constexpr double kRate = 0.001;

// The outputs that a day's transactions spend, mostly of foreign transactions. A known transaction
// has three outputs, of which the store has one.
constexpr int kForeign = 100'000;
constexpr int kKnown = 1'000;
constexpr std::uint32_t kOutputs = 3;
constexpr std::size_t kSpends = kForeign + kKnown * kOutputs;

/// A table on a disk far away, or so it is to be imagined.
class SlowStore {
public:
    void add(const chain::Outpoint& outpoint, chain::Satoshis value) { values_[outpoint] = value; }
    bool contains(const chain::Outpoint& outpoint) const {
        ++lookups_;
        return values_.contains(outpoint);
    }
    std::size_t lookups() const { return lookups_; }
    const auto& values() const { return values_; }

private:
    std::map<chain::Outpoint, chain::Satoshis> values_;
    mutable std::size_t lookups_ = 0;
};

chain::Txid txid_of(std::string_view world, int number) {
    const std::string name = std::string(world) + std::to_string(number);
    return chain::Txid::from_view(chain::sha256d(chain::as_bytes(name)).view());
}

bloom::BloomFilter empty_filter() {
    return {bloom::filter_size(kStored, kRate), /*tweak=*/0, bloom::UpdateMode::none};
}

/// Looks up all spent outputs. Returns how many of them the store has.
template <typename MayContain>
std::size_t look_up_spends(const SlowStore& store, MayContain may_contain) {
    std::size_t found = 0;
    const auto look_up = [&](const chain::Outpoint& outpoint) {
        if (may_contain(outpoint) && store.contains(outpoint)) ++found;
    };
    for (int i = 0; i < kForeign; ++i) look_up({txid_of("foreign", i), 0});
    for (int i = 0; i < kKnown; ++i) {
        for (std::uint32_t index = 0; index < kOutputs; ++index) {
            look_up({txid_of("stored", i), index});
        }
    }
    return found;
}

template <typename MayContain>
void report(std::string_view filter, SlowStore store, MayContain may_contain) {
    const std::size_t found = look_up_spends(store, may_contain);
    std::cout << filter << ": " << store.lookups() << " look-ups, " << kSpends - store.lookups()
              << " saved, " << found << " found\n";
}

}  // namespace

int main() {
    SlowStore store;
    for (int i = 0; i < static_cast<int>(kStored); ++i) store.add({txid_of("stored", i), 1}, 1'000);

    // An entry that is added to the store later must be added to the filters first.
    bloom::BloomFilter rows = empty_filter();
    bloom::BloomFilter rows_and_columns = empty_filter();
    for (const auto& [outpoint, value] : store.values()) {
        rows.insert(outpoint.txid.view());
        rows_and_columns.insert(outpoint.serialize());
    }

    report("no filter", store, [](const chain::Outpoint&) { return true; });
    report("by row", store,
           [&](const chain::Outpoint& outpoint) { return rows.contains(outpoint.txid.view()); });
    report("by row and column", store, [&](const chain::Outpoint& outpoint) {
        return rows_and_columns.contains(outpoint.serialize());
    });
    std::cout << "each filter takes " << rows.bytes().size() << " bytes\n";
    return std::cout.flush() ? 0 : 1;
}
