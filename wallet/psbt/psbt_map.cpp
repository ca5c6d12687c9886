#include "wallet/psbt/psbt_map.h"

#include <algorithm>
#include <set>
#include <utility>

namespace petal::wallet {

namespace {

chain::Bytes key_of(chain::Byte type, chain::ByteView key_data) {
    chain::Bytes key{type};
    key.insert(key.end(), key_data.begin(), key_data.end());
    return key;
}

PsbtFault fault_of(chain::DecodeError error) {
    return error == chain::DecodeError::truncated ? PsbtFault::truncated : PsbtFault::bad_size;
}

bool has_repeated_key(const std::vector<PsbtRecord>& records) {
    std::vector<const chain::Bytes*> keys;
    keys.reserve(records.size());
    for (const PsbtRecord& record : records) keys.push_back(&record.key);
    const auto key_itself = [](const chain::Bytes* key) -> const chain::Bytes& { return *key; };
    std::ranges::sort(keys, {}, key_itself);
    return std::ranges::adjacent_find(keys, {}, key_itself) != keys.end();
}

}  // namespace

const chain::Bytes* PsbtMap::find(chain::Byte type, chain::ByteView key_data) const {
    const auto found = std::ranges::find_if(records_, [&](const PsbtRecord& record) {
        return record.type() == type && std::ranges::equal(record.key_data(), key_data);
    });
    return found == records_.end() ? nullptr : &found->value;
}

std::vector<const PsbtRecord*> PsbtMap::all(chain::Byte type) const {
    std::vector<const PsbtRecord*> result;
    for (const PsbtRecord& record : records_) {
        if (record.type() == type) result.push_back(&record);
    }
    return result;
}

void PsbtMap::set(chain::Byte type, chain::ByteView key_data, chain::Bytes value) {
    chain::Bytes key = key_of(type, key_data);
    const auto found = std::ranges::find(records_, key, &PsbtRecord::key);
    if (found != records_.end()) {
        found->value = std::move(value);
        return;
    }
    const auto place =
        std::ranges::find_if(records_, [&](const PsbtRecord& record) { return key < record.key; });
    records_.insert(place, {std::move(key), std::move(value)});
}

void PsbtMap::merge(const PsbtMap& other) {
    const std::size_t before = records_.size();
    std::set<chain::Bytes> known;
    for (const PsbtRecord& record : records_) known.insert(record.key);
    for (const PsbtRecord& record : other.records_) {
        if (!known.contains(record.key)) records_.push_back(record);
    }
    if (records_.size() > before) std::ranges::sort(records_, {}, &PsbtRecord::key);
}

void PsbtMap::keep_if(const std::function<bool(const PsbtRecord&)>& is_kept) {
    std::erase_if(records_, [&](const PsbtRecord& record) { return !is_kept(record); });
}

void PsbtMap::write(chain::ByteWriter& writer) const {
    for (const PsbtRecord& record : records_) writer.var_bytes(record.key).var_bytes(record.value);
    writer.u8(0);
}

chain::Expected<PsbtMap, PsbtFault> read_psbt_map(chain::ByteReader& reader,
                                                  std::size_t& records_left) {
    PsbtMap map;
    while (true) {
        chain::Bytes key = reader.read_var_bytes(chain::kMaxCompactSize);
        if (!reader.ok()) return chain::Unexpected{fault_of(reader.error())};
        if (key.empty()) break;
        if (records_left == 0) return chain::Unexpected{PsbtFault::too_large};
        --records_left;
        chain::Bytes value = reader.read_var_bytes(chain::kMaxCompactSize);
        if (!reader.ok()) return chain::Unexpected{fault_of(reader.error())};
        map.records_.push_back({std::move(key), std::move(value)});
    }
    if (has_repeated_key(map.records_)) return chain::Unexpected{PsbtFault::repeated_key};
    return map;
}

}  // namespace petal::wallet
