/// A set of block heights, kept as ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"

namespace petal::net {

/// A set of heights whose memory and time grow with the number of ranges.
class HeightRanges {
public:
    /// from <= to, both included.
    void add(std::uint32_t from, std::uint32_t to);
    void add(std::uint32_t height) { add(height, height); }
    void add(const HeightRanges& other);
    void remove(std::uint32_t from, std::uint32_t to);
    void remove(std::uint32_t height) { remove(height, height); }
    void remove(const HeightRanges& other);
    void remove_above(std::uint32_t height);

    bool empty() const { return ranges_.empty(); }
    bool contains(std::uint32_t height) const;
    /// The smallest height; empty if the set is empty.
    std::optional<std::uint32_t> lowest() const;
    /// The smallest height above this one; empty if there is none.
    std::optional<std::uint32_t> lowest_above(std::uint32_t height) const;
    /// The greatest height; empty if the set is empty.
    std::optional<std::uint32_t> highest() const;
    /// The smallest height that is not in `other`; empty if there is none.
    std::optional<std::uint32_t> lowest_not_in(const HeightRanges& other) const;
    /// The number of heights.
    std::uint64_t size() const;

    /// First and last height of each range, in ascending order; ranges neither overlap nor touch.
    const std::map<std::uint32_t, std::uint32_t>& ranges() const { return ranges_; }

    void write(chain::ByteWriter& writer) const;
    /// Reads the format of write(). On failure the reader holds the error.
    static HeightRanges read(chain::ByteReader& reader);

    friend bool operator==(const HeightRanges&, const HeightRanges&) = default;

private:
    std::map<std::uint32_t, std::uint32_t> ranges_;
};

}  // namespace petal::net
