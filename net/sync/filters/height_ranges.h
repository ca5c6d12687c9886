/// A set of block heights, kept as ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"

namespace petal::net {

/// Heights, in as little memory as their ranges need. Cheap where there are few ranges.
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
    /// How many heights.
    std::uint64_t size() const;
    /// The smallest; nothing where the set is empty.
    std::optional<std::uint32_t> lowest() const;

    /// First and last height of each range, in ascending order; ranges neither overlap nor touch.
    const std::map<std::uint32_t, std::uint32_t>& ranges() const { return ranges_; }

    void write(chain::ByteWriter& writer) const;
    /// What write() wrote. On failure the reader says why.
    static HeightRanges read(chain::ByteReader& reader);

    friend bool operator==(const HeightRanges&, const HeightRanges&) = default;

private:
    std::map<std::uint32_t, std::uint32_t> ranges_;
};

}  // namespace petal::net
