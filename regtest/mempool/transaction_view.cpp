#include "regtest/mempool/transaction_view.h"

#include <cstddef>
#include <cstdint>

namespace petal::regtest {
namespace {

/// The bytes that the reader has read since its rest() was `before`.
chain::ByteView read_since(chain::ByteView before, const chain::ByteReader& reader) {
    return before.first(before.size() - reader.remaining());
}

void skip_witnesses(chain::ByteReader& reader, std::size_t inputs) {
    for (; inputs > 0 && reader.ok(); --inputs) {
        auto items = reader.read_compact_size();
        for (; items > 0 && reader.ok(); --items) reader.read_var_view(chain::kMaxCompactSize);
    }
}

}  // namespace

TransactionView read_transaction_view(chain::ByteReader& reader) {
    TransactionView view;
    const chain::ByteView start = reader.rest();
    reader.read_i32();
    const bool has_witnesses = reader.peek_u8() == 0;  // the marker in place of the input count
    if (has_witnesses) reader.read_u16();
    for (auto left = reader.read_compact_size(); left > 0 && reader.ok(); --left) {
        const chain::Txid txid{reader.read_array<32>()};
        view.spent.push_back({txid, reader.read_u32()});
        reader.read_var_view(chain::kMaxCompactSize);
        reader.read_u32();
    }
    for (auto left = reader.read_compact_size(); left > 0 && reader.ok(); --left) {
        const chain::ByteView output = reader.rest();
        reader.read_i64();
        reader.read_var_view(chain::kMaxCompactSize);
        view.outputs.push_back(read_since(output, reader));
    }
    if (has_witnesses) skip_witnesses(reader, view.spent.size());
    reader.read_u32();
    view.bytes = read_since(start, reader);
    return view;
}

chain::ByteView script_of(chain::ByteView output) {
    chain::ByteReader reader(output);
    reader.read_i64();
    return reader.read_var_view(chain::kMaxCompactSize);
}

}  // namespace petal::regtest
