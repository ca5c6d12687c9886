/// PSBTs for tests.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "wallet/psbt/psbt.h"

namespace petal::test {

inline chain::Bytes bytes_from_base64(const std::string& text) {
    const auto bytes = chain::from_base64(text);
    if (!bytes) throw std::invalid_argument("not base64: " + text);
    return *bytes;
}

inline wallet::Psbt psbt_from(const std::string& base64) {
    return wallet::Psbt::parse(bytes_from_base64(base64)).value();
}

/// The records of all maps. Each map is sorted, because the order of records has no meaning.
inline std::vector<std::vector<wallet::PsbtRecord>> sorted_records(const wallet::Psbt& psbt) {
    std::vector<std::vector<wallet::PsbtRecord>> result;
    const auto add = [&](const wallet::PsbtMap& map) {
        result.push_back(map.records());
        std::ranges::sort(result.back(), {}, &wallet::PsbtRecord::key);
    };
    add(psbt.global());
    std::ranges::for_each(psbt.inputs(), add);
    std::ranges::for_each(psbt.outputs(), add);
    return result;
}

}  // namespace petal::test
