/// The base of all filters for the present watch list, and the outputs that it matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "chain/watcher.h"
#include "net/sync/filters/filter_policy.h"
#include "net/sync/filters/matched_output.h"

namespace petal::net {

/// Computes the base when it is first needed, and adds new elements of the watch list to it.
class WatchedBase {
public:
    /// `watcher` must outlive it.
    /// bytes   the size of the filters
    WatchedBase(const chain::Watcher& watcher, std::size_t bytes)
        : watcher_(watcher), bytes_(bytes) {}

    void set_rate(double rate) { rate_ = rate; }
    void on_grown() { grew_ = true; }

    const FilterBase& get() {
        if (!base_ || std::exchange(grew_, false)) {
            const auto added = watcher_.watched_elements(watched_elements_);
            if (base_) {
                base_->insert(added);
            } else {
                base_.emplace(added, watcher_.filter_padding(), rate_, bytes_);
            }
            watched_elements_ += added.size();
        }
        return *base_;
    }
    /// The number of elements in the watch list that the base is made of.
    std::uint64_t watched_elements() {
        static_cast<void>(get());
        return watched_elements_;
    }
    /// The transaction's outputs that the base matches: the watcher's and false positives.
    std::vector<MatchedOutput> coins_of(const chain::Transaction& transaction,
                                        const chain::Txid& txid) {
        std::vector<MatchedOutput> coins;
        for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
            const chain::TxOutput& output = transaction.outputs[i];
            if (get().matches(output)) coins.push_back({{txid, i}, remembered_output(output)});
        }
        return coins;
    }

private:
    const chain::Watcher& watcher_;
    std::size_t bytes_;
    double rate_ = 0;
    std::optional<FilterBase> base_;
    std::uint64_t watched_elements_ = 0;
    bool grew_ = false;  // since base_ was made
};

}  // namespace petal::net
