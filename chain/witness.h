/// The witness of one input (BIP141).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/bytes.h"

namespace petal::chain {

/// A stack of byte strings, kept as it stands on the wire, so that it takes no more memory than
/// bytes were sent. Consensus allows any number of items, empty ones too: one of half a million is
/// in mainnet's block 761,249.
class Witness {
public:
    Witness() = default;
    Witness(std::initializer_list<Bytes> items);

    /// True where the input has no witness, or it was not sent.
    bool empty() const { return count_ == 0; }
    /// How many items there are.
    std::size_t size() const { return count_; }
    /// The item at `index`, which is below size(); found by walking over those before it.
    ByteView operator[](std::size_t index) const;

    /// All of them, in order; parts of this witness.
    std::vector<ByteView> items() const;

    void push_back(ByteView item);
    void clear() { *this = {}; }

    /// Each item behind its length, as on the wire; their count, which comes before them, is
    /// size().
    ByteView serialized_items() const { return items_; }

    friend bool operator==(const Witness&, const Witness&) = default;

private:
    friend Witness read_witness(ByteReader& reader);

    Bytes items_;
    std::size_t count_ = 0;
};

/// Reads a count and so many items, and leaves the reader behind them. On failure the reader holds
/// the error and the result is empty.
Witness read_witness(ByteReader& reader);

}  // namespace petal::chain
