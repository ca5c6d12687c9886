// Transactions and PSBTs as users enter them, as text or bytes: an accepted one is read again from
// both forms, a PSBT can be shown, and a transaction can be announced.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "cli/options/option_values.h"
#include "cli/options/options.h"
#include "cli/psbt/psbt_input.h"
#include "cli/psbt/psbt_json.h"
#include "cli/psbt/psbt_text.h"
#include "cli/sync/transaction_input.h"

namespace {

void check_psbt(std::string_view content) {
    using namespace petal;
    const auto psbt = cli::parse_psbt(content);
    if (!psbt) {
        assert(!psbt.error().empty() && psbt.error().find('\n') == std::string::npos);
        return;
    }
    const chain::Bytes bytes = psbt->serialize();
    for (const std::string& form :
         {chain::to_base64(bytes), std::string(bytes.begin(), bytes.end())}) {
        const auto again = cli::parse_psbt(form);
        assert(again && again->serialize() == bytes);
    }
    static const cli::GlobalOptions global = [] {
        cli::GlobalOptions made;
        made.network = cli::table_network("regtest");
        return made;
    }();
    assert(!cli::decoded_psbt_json(*psbt, global).dump().empty());
    assert(!cli::decoded_psbt_text(*psbt, global).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    const std::string_view content(reinterpret_cast<const char*>(data), size);
    check_psbt(content);
    const auto transaction = cli::parse_transaction(content);
    if (!transaction) {
        const std::string reason = cli::describe(transaction.error());
        assert(!reason.empty() && reason.find('\n') == std::string::npos);
        return 0;
    }
    assert(chain::check_transaction(*transaction) && !transaction->is_coinbase());
    const chain::Bytes bytes = transaction->serialize();
    const auto from_hex = cli::parse_transaction(chain::to_hex(bytes));
    assert(from_hex && *from_hex == *transaction);
    const std::string plain(bytes.begin(), bytes.end());
    const auto from_bytes = cli::parse_transaction(plain);
    assert(from_bytes && *from_bytes == *transaction);
    return 0;
}
