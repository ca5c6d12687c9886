#include "net/sync/filters/served_filter.h"

#include <utility>

namespace petal::net {

namespace {

// A wallet's payments come in bursts: a burst is noticed soon, and remembered for long.
constexpr double kLatestBlocks = 100;
constexpr double kRememberedBlocks = 2'000;

}  // namespace

void ServedFilter::load(bloom::BloomFilter filter) {
    ++loads_;
    is_confirmed_ = false;
    coming_.push_back({++changes_, Mirror{std::move(filter)}});
}

void ServedFilter::add(const chain::Outpoint& outpoint) {
    coming_.push_back({++changes_, outpoint});
}

void ServedFilter::follow_to(const std::optional<Mark>& next) {
    while (!coming_.empty() && (!next || coming_.front().number <= next->changes)) {
        auto& what = coming_.front().what;
        if (auto* loaded = std::get_if<Mirror>(&what)) {
            mirror_ = std::move(*loaded);
        } else {
            mirror_->on_added(std::get<chain::Outpoint>(what));
        }
        coming_.pop_front();
    }
}

const Mirror* ServedFilter::latest() const {
    for (auto change = coming_.rbegin(); change != coming_.rend(); ++change) {
        if (const auto* coming = std::get_if<Mirror>(&change->what)) return coming;
    }
    return mirror_ ? &*mirror_ : nullptr;
}

void ServedFilter::on_announced(const chain::Txid& txid, std::size_t max) {
    if (mirror_) mirror_->on_announced(txid, is_confirmed_, max);
    for (Change& change : coming_) {
        if (auto* coming = std::get_if<Mirror>(&change.what))
            coming->on_announced(txid, false, max);
    }
}

void ServedFilter::on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid) {
    if (mirror_) mirror_->on_unconfirmed(transaction, txid);
}

void InsertionRate::on_block(std::size_t inserted) {
    const auto insertions = static_cast<double>(inserted + std::exchange(added_, 0));
    lately_ += (insertions - lately_) / kLatestBlocks;
    before_ += (insertions - before_) / kRememberedBlocks;
}

}  // namespace petal::net
