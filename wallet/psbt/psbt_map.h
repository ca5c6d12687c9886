/// The maps of a PSBT (BIP174): records in the order in which they were read, known and unknown
/// ones, so that they are written back byte for byte.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "wallet/psbt/psbt_error.h"

namespace petal::wallet {

/// The limits of a PSBT, so that a small file cannot take a multiple of memory.
inline constexpr std::size_t kMaxPsbtRecords = 100'000;

struct PsbtRecord {
    chain::Bytes key;  ///< its type, then the part that distinguishes it; not empty
    chain::Bytes value;

    /// All known types take one byte.
    chain::Byte type() const { return key.front(); }
    /// The key without its type.
    chain::ByteView key_data() const { return chain::ByteView(key).subspan(1); }

    friend bool operator==(const PsbtRecord&, const PsbtRecord&) = default;
};

/// One map. Its keys are unique.
class PsbtMap {
public:
    const std::vector<PsbtRecord>& records() const { return records_; }

    /// The value of a key; null if there is none. The pointer lives until the map is changed.
    const chain::Bytes* find(chain::Byte type, chain::ByteView key_data = {}) const;
    /// All records of a type, in their order.
    std::vector<const PsbtRecord*> all(chain::Byte type) const;
    bool has(chain::Byte type) const { return !all(type).empty(); }

    /// Sets the value of a key; inserts a new key before the first greater one.
    void set(chain::Byte type, chain::ByteView key_data, chain::Bytes value);
    void set(chain::Byte type, chain::Bytes value) { set(type, {}, std::move(value)); }
    /// Adds the records of `other` whose keys are missing here. If there are any, sorts all by key.
    void merge(const PsbtMap& other);
    /// Removes the records for which this is false.
    void keep_if(const std::function<bool(const PsbtRecord&)>& is_kept);

    /// Writes the records and the zero byte that ends the map.
    void write(chain::ByteWriter& writer) const;

private:
    friend chain::Expected<PsbtMap, PsbtFault> read_psbt_map(chain::ByteReader& reader,
                                                             std::size_t& records_left);

    std::vector<PsbtRecord> records_;
};

/// Reads one map, and leaves the reader after it. The number of its records is subtracted from
/// `records_left`; if that does not suffice, the error is `too_large`.
chain::Expected<PsbtMap, PsbtFault> read_psbt_map(chain::ByteReader& reader,
                                                  std::size_t& records_left);

}  // namespace petal::wallet
