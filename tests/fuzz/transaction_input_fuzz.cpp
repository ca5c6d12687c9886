// Transactions as users have them, hexadecimal or bytes: what is accepted can be announced, and
// comes back from both forms.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/sync/transaction_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    const std::string_view content(reinterpret_cast<const char*>(data), size);
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
