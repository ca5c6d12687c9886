/// The tree of headers as a table: each header's record, found by number or hash, and the branch
/// with the most work.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "chain/block_header.h"
#include "chain/headers/anchors.h"
#include "chain/headers/header_index.h"
#include "chain/headers/header_record.h"
#include "chain/headers/header_rules.h"
#include "chain/headers/stored_headers.h"

namespace petal::chain {

/// Stores headers without checking them; the caller checks the rules. Headers are numbered in order
/// of acceptance, a parent before its children; the root is number 0. The first ones may be stored
/// in a header file; any function that reads them may throw HeaderFileDamaged. Not thread-safe.
class HeaderTable {
public:
    explicit HeaderTable(const Anchor& root);

    std::uint32_t size() const { return stored_size() + static_cast<std::uint32_t>(tail_.size()); }
    const HeaderRecord& operator[](std::uint32_t number) const {
        return number < stored_size() ? (*stored_)[number] : tail_[number - stored_size()];
    }
    BlockHash hash_of(std::uint32_t number) const;
    std::optional<std::uint32_t> find(const BlockHash& hash) const;
    /// Prefetches the memory that the next find() or append() of this hash needs.
    void prefetch(const BlockHash& hash) const { index_.prefetch(hash); }

    std::uint32_t newest() const { return size() - 1; }
    const BlockHash& newest_hash() const { return newest_hash_; }

    /// Adds a header after `parent`, which is not excluded as invalid, and moves the tip to it if
    /// it has more work. If `parent` is excluded as withheld, the branch up to the new header
    /// counts again.
    ///
    /// work   of only this header
    void append(const HashedHeader& hashed, std::uint32_t parent, const Uint256& work);
    /// Adds a header by its record in a file. Returns false, and adds nothing, if it contradicts
    /// the record of its parent.
    bool restore(const HeaderRecord& record, const BlockHash& hash);

    std::uint32_t root_height() const { return root_height_; }
    std::uint32_t tip_height() const { return root_height_ + best_size() - 1; }
    std::uint32_t tip() const { return best_at(tip_height()); }
    const BlockHash& tip_hash() const { return tip_hash_; }
    const Uint256& tip_work() const { return tip_work_; }
    /// The best chain's header at a height from the root's to the tip's.
    std::uint32_t best_at(std::uint32_t height) const;
    bool is_best(std::uint32_t number) const;
    /// Excludes the header, which is not the root, and all its descendants from the best chain. If
    /// this concerns the tip, the tip moves to the remaining header with the most work; of several,
    /// the first.
    void exclude(std::uint32_t number, Exclusion why);
    /// A header that is excluded as withheld, and those before it, count again. The tip moves to it
    /// if it has more work.
    void readmit(std::uint32_t number);
    /// Why the header is excluded; empty if it is not.
    std::optional<Exclusion> exclusion_of(std::uint32_t number) const;
    bool has_exclusions() const { return !excluded_.empty(); }
    /// The excluded headers whose parents are not excluded, in ascending order.
    std::vector<std::uint32_t> excluded_branches() const;

    /// The header at this height that `number` is or descends from.
    std::uint32_t ancestor(std::uint32_t number, std::uint32_t height) const;

    /// The number of headers that are read from the file; the others are in memory.
    std::uint32_t stored_size() const { return stored_ ? stored_->size() : 0; }
    bool is_damaged() const { return stored_ && stored_->is_damaged(); }
    /// Reads the first headers from this file from now on. They equal those in memory, or memory
    /// holds only the root.
    void use(std::unique_ptr<StoredHeaders> stored);
    /// Releases the pages of the mapped file.
    void release_pages() const {
        if (stored_) stored_->release_pages();
    }
    /// An index of all headers; the checks are the caller's to fill in. Not with exclusions: the
    /// best chain of the index would be a lighter one than that of the file.
    HeaderIndexContents index_contents() const;

private:
    // A deque grows without copying its elements, so that it never takes twice their memory.
    using Records = boost::container::deque<
        HeaderRecord, void,
        boost::container::deque_options<boost::container::block_size<1024U>>::type>;

    void push(const HeaderRecord& record, const BlockHash& hash, const Uint256& work);
    void set_tip(std::uint32_t number, const BlockHash& hash, const Uint256& work);
    void readmit_up_to(std::uint32_t number);
    std::uint32_t heaviest_remaining() const;
    std::uint32_t best_size() const {
        return stored_best_ + static_cast<std::uint32_t>(best_.size());
    }

    std::uint32_t root_height_;
    std::unique_ptr<StoredHeaders> stored_;
    Records tail_;                     // the headers that are not stored
    HeaderIndex index_;                // of the headers in `tail_`
    std::uint32_t stored_best_ = 0;    // headers of the stored best chain that still belong to it
    std::vector<std::uint32_t> best_;  // the headers of the best chain above them
    BlockHash newest_hash_;
    BlockHash tip_hash_;
    Uint256 tip_work_;
    // Excluded headers. The descendants of each are excluded, too.
    std::unordered_map<std::uint32_t, Exclusion> excluded_;
};

}  // namespace petal::chain
