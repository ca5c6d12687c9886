/// The maps that a PSBT consists of (BIP174): records in the order in which they were read, known
/// and unknown ones, so that they are written back byte for byte.
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
    chain::Bytes key;  ///< its type, and what distinguishes it from others of its type; not empty
    chain::Bytes value;

    /// All types that are known here take one byte.
    chain::Byte type() const { return key.front(); }
    /// The key without its type.
    chain::ByteView key_data() const { return chain::ByteView(key).subspan(1); }

    friend bool operator==(const PsbtRecord&, const PsbtRecord&) = default;
};

/// One map, whose keys differ.
class PsbtMap {
public:
    const std::vector<PsbtRecord>& records() const { return records_; }

    /// The value of a key; null if there is none. The pointer lives until the map is changed.
    const chain::Bytes* find(chain::Byte type, chain::ByteView key_data = {}) const;
    /// All records of a type, in their order.
    std::vector<const PsbtRecord*> all(chain::Byte type) const;
    bool has(chain::Byte type) const { return !all(type).empty(); }

    /// Sets the value of a key; a new one comes before the first that is greater.
    void set(chain::Byte type, chain::ByteView key_data, chain::Bytes value);
    void set(chain::Byte type, chain::Bytes value) { set(type, {}, std::move(value)); }
    /// Adds the records of `other` whose keys are not there. If there are any, all are sorted by
    /// key.
    void merge(const PsbtMap& other);
    /// Removes the records for which this is false.
    void keep_if(const std::function<bool(const PsbtRecord&)>& is_kept);

    /// With the zero byte behind the last record.
    void write(chain::ByteWriter& writer) const;

private:
    friend chain::Expected<PsbtMap, PsbtFault> read_psbt_map(chain::ByteReader& reader,
                                                             std::size_t& records_left);

    std::vector<PsbtRecord> records_;
};

/// Reads one map, and leaves the reader behind it. Its records are subtracted from `records_left`;
/// more of them are `too_large`.
chain::Expected<PsbtMap, PsbtFault> read_psbt_map(chain::ByteReader& reader,
                                                  std::size_t& records_left);

}  // namespace petal::wallet
