/// The maps of a PSBT (BIP174). Known and unknown records stay in the order in which they were
/// read, so that a PSBT is written back byte for byte.
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

/// The maximum number of records, so that a small file cannot take a multiple of its size in
/// memory.
inline constexpr std::size_t kMaxPsbtRecords = 100'000;

struct PsbtRecord {
    chain::Bytes key;  ///< the type, then the key data
    chain::Bytes value;

    /// The type. All known types are one byte.
    chain::Byte type() const { return key.front(); }
    /// The key without the type.
    chain::ByteView key_data() const { return chain::ByteView(key).subspan(1); }

    friend bool operator==(const PsbtRecord&, const PsbtRecord&) = default;
};

/// A map with unique keys.
class PsbtMap {
public:
    const std::vector<PsbtRecord>& records() const { return records_; }

    /// The value of a key. Null if there is none. The pointer is valid until the map is changed.
    const chain::Bytes* find(chain::Byte type, chain::ByteView key_data = {}) const;
    /// All records of a type, in order.
    std::vector<const PsbtRecord*> all(chain::Byte type) const;
    bool has(chain::Byte type) const { return !all(type).empty(); }

    /// Sets the value of a key. A new key is inserted before the first greater key.
    void set(chain::Byte type, chain::ByteView key_data, chain::Bytes value);
    void set(chain::Byte type, chain::Bytes value) { set(type, {}, std::move(value)); }
    /// Adds the records of `other` with new keys. If there are any, sorts all records by key.
    void merge(const PsbtMap& other);
    /// Removes the records for which `is_kept` is false.
    void keep_if(const std::function<bool(const PsbtRecord&)>& is_kept);

    /// Writes the records and the terminating zero byte.
    void write(chain::ByteWriter& writer) const;

private:
    friend chain::Expected<PsbtMap, PsbtFault> read_psbt_map(chain::ByteReader& reader,
                                                             std::size_t& records_left);

    std::vector<PsbtRecord> records_;
};

/// Reads one map. Subtracts the number of records from `records_left`. Fails with `too_large` if
/// there are more records.
chain::Expected<PsbtMap, PsbtFault> read_psbt_map(chain::ByteReader& reader,
                                                  std::size_t& records_left);

}  // namespace petal::wallet
