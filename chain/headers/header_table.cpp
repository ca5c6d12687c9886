// The tree of headers, partly in memory and partly on disk.
#include "chain/headers/header_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace petal::chain {

HeaderTable::HeaderTable(const Anchor& root) : root_height_(root.height) {
    const HeaderPlace place{root.chainwork, 0, root.height, root.header.time};
    push({root.header, place}, root.header.hash(), root.chainwork);
}

void HeaderTable::append(const HashedHeader& hashed, std::uint32_t parent, const Uint256& work) {
    assert(exclusion_of(parent) != Exclusion::invalid);
    readmit_up_to(parent);
    const HeaderRecord& before = (*this)[parent];
    const HeaderPlace place{before.work() + work, parent, before.height() + 1,
                            std::max(before.max_time(), hashed.header().time)};
    push({hashed.header(), place}, hashed.hash(), place.work);
}

bool HeaderTable::restore(const HeaderRecord& record, const BlockHash& hash) {
    if (record.parent() >= size() || record.previous() != hash_of(record.parent())) return false;
    const HeaderRecord& parent = (*this)[record.parent()];
    const Uint256 work = record.work();
    const bool fits = record.height() == parent.height() + 1 && work > parent.work() &&
                      record.max_time() == std::max(parent.max_time(), record.time());
    if (fits) push(record, hash, work);
    return fits;
}

void HeaderTable::push(const HeaderRecord& record, const BlockHash& hash, const Uint256& work) {
    index_.insert(hash, size());
    tail_.push_back(record);
    newest_hash_ = hash;
    // The root becomes the tip even if a damaged file states no work.
    if (best_size() == 0 || work > tip_work_) {
        set_tip(newest(), hash, work);
    }
}

BlockHash HeaderTable::hash_of(std::uint32_t number) const {
    if (number == newest()) return newest_hash_;
    const HeaderRecord& record = (*this)[number];
    if (!is_best(number)) return record.hash();
    if (record.height() == tip_height()) return tip_hash_;
    return (*this)[best_at(record.height() + 1)].previous();
}

std::optional<std::uint32_t> HeaderTable::find(const BlockHash& hash) const {
    const auto in_memory =
        index_.find(hash, [&](std::uint32_t number) { return hash_of(number) == hash; });
    if (in_memory || !stored_) return in_memory;
    return stored_->find(hash,
                         [&](std::uint32_t number) { return (*stored_)[number].hash() == hash; });
}

std::uint32_t HeaderTable::best_at(std::uint32_t height) const {
    assert(height >= root_height_ && height <= tip_height());
    const std::uint32_t place = height - root_height_;
    return place < stored_best_ ? stored_->best_at(place) : best_[place - stored_best_];
}

bool HeaderTable::is_best(std::uint32_t number) const {
    const std::uint32_t height = (*this)[number].height();
    return height <= tip_height() && best_at(height) == number;
}

std::uint32_t HeaderTable::ancestor(std::uint32_t number, std::uint32_t height) const {
    assert((*this)[number].height() >= height);
    while ((*this)[number].height() > height && !is_best(number)) {
        number = (*this)[number].parent();
    }
    return (*this)[number].height() > height ? best_at(height) : number;
}

void HeaderTable::set_tip(std::uint32_t number, const BlockHash& hash, const Uint256& work) {
    std::vector<std::uint32_t> path;  // from `number` down to where it leaves the best chain
    if (best_size() == 0) {
        path.push_back(number);
    } else {
        std::uint32_t from = number;
        for (; !is_best(from); from = (*this)[from].parent()) path.push_back(from);
        const std::uint32_t kept = (*this)[from].height() + 1 - root_height_;
        stored_best_ = std::min(stored_best_, kept);
        best_.resize(kept - stored_best_);
    }
    best_.insert(best_.end(), path.rbegin(), path.rend());
    tip_hash_ = hash;
    tip_work_ = work;
}

void HeaderTable::exclude(std::uint32_t number, Exclusion why) {
    assert(number > 0);
    // A header excluded as withheld may become invalid, but not the reverse.
    std::unordered_map<std::uint32_t, Exclusion> added{{number, why}};
    for (std::uint32_t each = number + 1; each < size(); ++each) {
        if (added.contains((*this)[each].parent())) added.emplace(each, why);
    }
    for (const auto& [each, reason] : added) {
        auto& known = excluded_.try_emplace(each, reason).first->second;
        if (reason == Exclusion::invalid) known = reason;
    }
    if (!exclusion_of(tip())) return;
    const std::uint32_t best = heaviest_remaining();
    set_tip(best, (*this)[best].hash(), (*this)[best].work());
}

void HeaderTable::readmit(std::uint32_t number) {
    readmit_up_to(number);
    const Uint256 work = (*this)[number].work();
    if (work > tip_work_) set_tip(number, (*this)[number].hash(), work);
}

std::optional<Exclusion> HeaderTable::exclusion_of(std::uint32_t number) const {
    const auto found = excluded_.find(number);
    return found == excluded_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::uint32_t> HeaderTable::excluded_branches() const {
    std::vector<std::uint32_t> branches;
    for (const auto& [number, why] : excluded_) {
        if (!excluded_.contains((*this)[number].parent())) branches.push_back(number);
    }
    std::ranges::sort(branches);
    return branches;
}

void HeaderTable::readmit_up_to(std::uint32_t number) {
    while (excluded_.erase(number) > 0) number = (*this)[number].parent();
}

// The best chain's headers have ascending numbers. Only few headers are on branches.
std::uint32_t HeaderTable::heaviest_remaining() const {
    std::uint32_t best = 0;  // the last header of the best chain that is not excluded
    std::vector<std::uint32_t> beside;
    std::uint32_t last = 0;
    for (std::uint32_t height = root_height_ + 1; height <= tip_height(); ++height) {
        const std::uint32_t number = best_at(height);
        while (++last < number) beside.push_back(last);
        if (!exclusion_of(number)) best = number;
    }
    while (++last < size()) beside.push_back(last);
    Uint256 most = (*this)[best].work();
    for (const std::uint32_t number : beside) {
        if (exclusion_of(number)) continue;
        const Uint256 work = (*this)[number].work();
        if (work < most || (work == most && number > best)) continue;
        best = number;
        most = work;
    }
    return best;
}

void HeaderTable::use(std::unique_ptr<StoredHeaders> stored) {
    assert(size() == 1 || size() == stored->size());
    const std::uint32_t best_tip = stored->best_at(stored->best_size() - 1);
    stored_ = std::move(stored);
    tail_.clear();
    index_ = {};
    best_.clear();
    best_.shrink_to_fit();
    stored_best_ = stored_->best_size();
    root_height_ = (*stored_)[0].height();
    newest_hash_ = (*stored_)[newest()].hash();
    tip_hash_ = (*stored_)[best_tip].hash();
    tip_work_ = (*stored_)[best_tip].work();
}

HeaderIndexContents HeaderTable::index_contents() const {
    assert(!has_exclusions());
    HeaderIndexContents contents;
    contents.records = size();
    contents.best.reserve(best_size());
    for (std::uint32_t place = 0; place < stored_best_; ++place) {
        contents.best.push_back(stored_->best_at(place));
    }
    contents.best.insert(contents.best.end(), best_.begin(), best_.end());
    if (stored_) contents.slots = stored_->slots();
    const auto in_memory = index_.slots();
    contents.slots.insert(contents.slots.end(), in_memory.begin(), in_memory.end());
    return contents;
}

}  // namespace petal::chain
