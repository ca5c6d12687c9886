#include "cli/psbt/sighash_name.h"

#include <algorithm>

#include "chain/script/signature_hash.h"

namespace petal::cli {

const std::vector<std::pair<std::string, std::uint32_t>>& sighash_names() {
    using namespace chain;
    static const std::vector<std::pair<std::string, std::uint32_t>> names{
        {"DEFAULT", 0},
        {"ALL", kSighashAll},
        {"NONE", kSighashNone},
        {"SINGLE", kSighashSingle},
        {"ALL|ANYONECANPAY", kSighashAll | kSighashAnyoneCanPay},
        {"NONE|ANYONECANPAY", kSighashNone | kSighashAnyoneCanPay},
        {"SINGLE|ANYONECANPAY", kSighashSingle | kSighashAnyoneCanPay},
    };
    return names;
}

std::string sighash_name(std::uint32_t type) {
    const auto& names = sighash_names();
    const auto found =
        std::ranges::find(names, type, &std::pair<std::string, std::uint32_t>::second);
    return found == names.end() ? std::to_string(type) : found->first;
}

}  // namespace petal::cli
