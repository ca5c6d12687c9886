/// Files of regtest chains, with right checksums and with records in any order, changed or
/// arbitrary. Such a file is refused and left unchanged, or read. Reading it again gives the same
/// chain.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "regtest/serve/chain_file.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace petal;
using chain::ByteReader;
using chain::Bytes;
using chain::ByteView;

constexpr std::size_t kCheckBytes = 4;

/// A record without its check.
struct Record {
    std::uint8_t kind = 0;
    Bytes payload;
};

struct IntactFile {
    Bytes preamble;
    std::vector<Record> records;
};

/// A block after the genesis block whose coinbase claims too much.
chain::Block wrong_block(const regtest::RegtestChain& chain) {
    const auto& genesis = chain.block_at(0).header;
    std::vector transactions = {
        regtest::make_coinbase(1, 1, {2 * regtest::block_subsidy(1), chain::Bytes{0x51}})};
    const std::vector txids = {transactions[0].txid()};
    const auto mined =
        regtest::mine_block_on(genesis.hash(), genesis.time + 1, transactions, txids);
    return {mined.header, mined.transactions};
}

/// A chain with two branches, a block that was invalidated and reconsidered, and an invalid block.
IntactFile make_intact(const std::filesystem::path& file) {
    regtest::RegtestChain chain;
    chain.mine(4);
    chain.reorganise(2, 3);
    const auto left = chain.tip();
    chain.invalidate(left);
    chain.mine(1);
    chain.reconsider(left);
    chain.offer_block(wrong_block(chain));
    {
        regtest::ChainFile stored(file);
        regtest::RegtestChain empty;
        stored.read(empty);
        stored.append(chain);
        const auto first = chain.block_at(1).header.hash();
        chain.invalidate(first);
        chain.reconsider(first);
        stored.append(chain);
    }
    const std::string bytes = test::file_text(file);
    IntactFile intact;
    const std::size_t end = bytes.find('\n') + 1;
    intact.preamble.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(end));
    ByteReader reader(chain::as_bytes(bytes).subspan(end));
    while (reader.remaining() > 0) {
        Record record;
        record.kind = reader.read_u8();
        record.payload = reader.read_bytes(reader.read_u32());
        reader.read_view(kCheckBytes);
        intact.records.push_back(std::move(record));
    }
    assert(reader.ok() && intact.records.size() == chain.history().records().size());
    return intact;
}

Bytes to_bytes(const Record& record) {
    Bytes bytes = chain::ByteWriter()
                      .u8(record.kind)
                      .u32(static_cast<std::uint32_t>(record.payload.size()))
                      .bytes(record.payload)
                      .take();
    const auto hash = chain::sha256d(bytes);
    bytes.insert(bytes.end(), hash.bytes.begin(), hash.bytes.begin() + kCheckBytes);
    return bytes;
}

/// Up to 255 bytes of the input.
Bytes own_bytes(ByteReader& input) {
    const std::size_t size = input.read_u8();
    return input.read_bytes(std::min(size, input.remaining()));
}

/// One of the intact records, unchanged or with one byte changed; a record made from the input; or
/// bytes of the input.
Bytes next_piece(const IntactFile& intact, ByteReader& input) {
    const std::uint8_t what = input.read_u8() % 4;
    if (what == 2) {
        Record record{input.read_u8(), {}};
        record.payload = own_bytes(input);
        return to_bytes(record);
    }
    if (what == 3) return own_bytes(input);
    Record record = intact.records[input.read_u8() % intact.records.size()];
    if (what == 1) {
        const std::size_t place = input.read_u16() % record.payload.size();
        record.payload[place] = static_cast<chain::Byte>(record.payload[place] ^ input.read_u8());
    }
    return to_bytes(record);
}

/// The tip after reading the file; nothing if the file is refused.
std::optional<chain::BlockHash> read(const std::filesystem::path& file, std::size_t& cut_bytes) {
    const std::string before = test::file_text(file);
    regtest::RegtestChain chain;
    regtest::ChainFile stored(file);
    try {
        stored.read(chain);
    } catch (const regtest::ChainFileError& error) {
        const std::string reason = error.what();
        assert(error.kind() == regtest::ChainFileError::Kind::damaged);
        assert(!reason.empty() && reason.find('\n') == std::string::npos);
        assert(test::file_text(file) == before);
        return std::nullopt;
    }
    cut_bytes = stored.cut_bytes();
    assert(chain.mempool().transactions().empty());
    stored.append(chain);
    return chain.tip();
}

/// Extends the chain and its file.
void extend(const std::filesystem::path& file) {
    regtest::RegtestChain chain;
    regtest::ChainFile stored(file);
    stored.read(chain);
    try {
        chain.mine(1);
    } catch (const std::invalid_argument&) {  // the blocks have reached the last possible time
        return;
    }
    stored.append(chain);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::TemporaryFolder folder;
    static const std::filesystem::path file = folder.path() / "chain.dat";
    static const IntactFile intact = make_intact(file);
    ByteReader input{{data, size}};
    Bytes bytes = input.read_u8() == 0xff ? Bytes{} : intact.preamble;
    while (input.ok() && input.remaining() > 0) {
        const Bytes piece = next_piece(intact, input);
        bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));

    std::size_t cut_bytes = 0;
    const auto tip = read(file, cut_bytes);
    if (!tip) return 0;
    const std::string sound = test::file_text(file);
    [[maybe_unused]] const auto again = read(file, cut_bytes);
    assert(again == tip && cut_bytes == 0 && test::file_text(file) == sound);
    extend(file);
    [[maybe_unused]] const auto extended = read(file, cut_bytes);
    assert(extended && cut_bytes == 0);
    return 0;
}
