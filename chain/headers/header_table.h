/// The table of header records, found by number or hash, and the best chain.
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

/// Stores headers, which the caller has validated. Headers are numbered in order of acceptance,
/// parents before children, from the root (0) on. The first headers may be read from a header file.
/// Functions that read these headers may throw HeaderFileDamaged. Not thread-safe.
class HeaderTable {
public:
    explicit HeaderTable(const Anchor& root);

    std::uint32_t size() const { return stored_size() + static_cast<std::uint32_t>(tail_.size()); }
    const HeaderRecord& operator[](std::uint32_t number) const {
        return number < stored_size() ? (*stored_)[number] : tail_[number - stored_size()];
    }
    BlockHash hash_of(std::uint32_t number) const;
    std::optional<std::uint32_t> find(const BlockHash& hash) const;
    /// Prefetches the memory for a later find() or append() of this hash.
    void prefetch(const BlockHash& hash) const { index_.prefetch(hash); }

    std::uint32_t newest() const { return size() - 1; }
    const BlockHash& newest_hash() const { return newest_hash_; }

    /// Adds a header after `parent`, which must not be excluded as invalid. The header becomes the
    /// tip if it has more work than the tip. If `parent` is excluded as withheld, the branch up to
    /// the new header counts again.
    ///
    /// work   of this header alone
    void append(const HashedHeader& hashed, std::uint32_t parent, const Uint256& work);
    /// Adds a header from a file. Returns false, and adds nothing, if the record contradicts the
    /// parent's record.
    bool restore(const HeaderRecord& record, const BlockHash& hash);

    std::uint32_t root_height() const { return root_height_; }
    std::uint32_t tip_height() const { return root_height_ + best_size() - 1; }
    std::uint32_t tip() const { return best_at(tip_height()); }
    const BlockHash& tip_hash() const { return tip_hash_; }
    const Uint256& tip_work() const { return tip_work_; }
    /// The best chain's header at a height from the root's height to the tip's height.
    std::uint32_t best_at(std::uint32_t height) const;
    bool is_best(std::uint32_t number) const;
    /// Excludes the header and all its descendants from the best chain. The header must not be the
    /// root. If the tip is excluded, the remaining header with the most work becomes the tip, and
    /// of several the first.
    void exclude(std::uint32_t number, Exclusion why);
    /// Lets a header that is excluded as withheld, and its ancestors, count again. The header
    /// becomes the tip if it has more work than the tip.
    void readmit(std::uint32_t number);
    /// Why the header is excluded. Empty if it is not excluded.
    std::optional<Exclusion> exclusion_of(std::uint32_t number) const;
    bool has_exclusions() const { return !excluded_.empty(); }
    /// The excluded headers whose parents are not excluded, in ascending order.
    std::vector<std::uint32_t> excluded_branches() const;

    /// The header at this height that is `number` or an ancestor of `number`.
    std::uint32_t ancestor(std::uint32_t number, std::uint32_t height) const;

    /// The number of headers that are read from the file. All later headers are in memory.
    std::uint32_t stored_size() const { return stored_ ? stored_->size() : 0; }
    bool is_damaged() const { return stored_ && stored_->is_damaged(); }
    /// Reads the first headers from this file from now on. Either the file's headers equal the
    /// headers in memory, or memory holds only the root.
    void use(std::unique_ptr<StoredHeaders> stored);
    /// Releases the pages of the mapped file.
    void release_pages() const {
        if (stored_) stored_->release_pages();
    }
    /// An index of all headers, in which the caller fills in the checks. Must not be called while
    /// headers are excluded, because the index must contain the file's best chain without
    /// exclusions.
    HeaderIndexContents index_contents() const;

private:
    // A deque grows without copying its elements, which would double the memory for a moment.
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
    Records tail_;                     // the headers that are not read from the file
    HeaderIndex index_;                // of the headers in `tail_`
    std::uint32_t stored_best_ = 0;    // headers of the stored best chain that are still on it
    std::vector<std::uint32_t> best_;  // the best chain's headers above them
    BlockHash newest_hash_;
    BlockHash tip_hash_;
    Uint256 tip_work_;
    // Excluded headers, including all descendants.
    std::unordered_map<std::uint32_t, Exclusion> excluded_;
};

}  // namespace petal::chain
