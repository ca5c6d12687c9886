#include "net/wire/codec.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "chain/byte_writer.h"

namespace petal::net {
namespace {

using chain::ByteReader;
using chain::Bytes;
using chain::ByteView;
using chain::ByteWriter;

constexpr std::size_t kInventoryBytes = 36;
constexpr std::size_t kHashBytes = 32;
/// An address in a `version` message: services, IP and port, without a time.
constexpr std::size_t kVersionAddressBytes = 26;
constexpr std::size_t kAddrEntryBytes = 30;
// Time, services, network number, an empty address, port.
constexpr std::size_t kMinAddrV2EntryBytes = 4 + 1 + 1 + 1 + 2;
constexpr std::size_t kMaxAddrV2Bytes = 512;  // BIP155

template <typename Tag>
void read_hash(ByteReader& reader, chain::TaggedHash<Tag>& hash) {
    hash.bytes = reader.read_array<kHashBytes>();
}

/// The text is shown to users. Characters that could control a terminal are dropped, as in Bitcoin
/// Core (util/strencodings.cpp: SanitizeString).
std::string printable(ByteView text) {
    std::string result;
    std::ranges::copy_if(text, std::back_inserter(result),
                         [](chain::Byte byte) { return byte >= 0x20 && byte <= 0x7e; });
    return result;
}

/// Old nodes end the message after the receiver's address, or after any later field (Bitcoin Core:
/// net_processing.cpp, ProcessMessage).
Message read_version(ByteReader& reader) {
    Version version;
    version.protocol = reader.read_i32();
    version.services = reader.read_u64();
    version.time = std::max<std::int64_t>(reader.read_i64(), 0);
    reader.read_view(kVersionAddressBytes);
    if (reader.remaining() > 0) {
        reader.read_view(kVersionAddressBytes);
        version.nonce = reader.read_u64();
    }
    if (reader.remaining() > 0) {
        version.user_agent = printable(reader.read_var_view(kMaxUserAgentBytes));
    }
    if (reader.remaining() > 0) version.start_height = reader.read_i32();
    if (reader.remaining() > 0) version.relay = reader.read_u8() != 0;
    return version;
}

template <typename T>
Message read_empty(ByteReader&) {
    return T{};
}

template <typename T>
Message read_nonce(ByteReader& reader) {
    return T{reader.read_u64()};
}

template <typename T>
Message read_inventory(ByteReader& reader) {
    T message;
    message.entries.resize(reader.read_count(kMaxInventoryEntries, kInventoryBytes));
    for (auto& entry : message.entries) {
        entry.type = static_cast<InventoryType>(reader.read_u32());
        read_hash(reader, entry.hash);
    }
    return message;
}

template <typename T>
Message read_locator(ByteReader& reader) {
    reader.read_u32();  // protocol version, ignored
    T message;
    message.locator.resize(reader.read_count(kMaxLocatorEntries, kHashBytes));
    for (auto& hash : message.locator) read_hash(reader, hash);
    read_hash(reader, message.stop);
    return message;
}

/// Whether the next entry of `headers` is in the other format.
///
/// Bit 31 alone is not enough: some old blocks have a negative version, too. In a message of
/// ordinary headers, the remaining bytes are exactly the remaining entries. Entries in the other
/// format are longer.
bool is_in_other_format(const ByteReader& reader, std::size_t entries_left) {
    const ByteView rest = reader.rest();
    const bool is_marked = rest.size() >= chain::kHeaderBytes && (rest[3] & 0x80U) != 0;
    return is_marked && rest.size() != entries_left * kHeaderEntryBytes;
}

Message read_headers(ByteReader& reader) {
    Headers message;
    std::size_t left = reader.read_count(kMaxHeadersPerMessage, kHeaderEntryBytes);
    message.headers.reserve(left);
    for (; left > 0 && !is_in_other_format(reader, left); --left) {
        message.headers.push_back(chain::read_block_header(reader));
        // The transaction count must be 0.
        if (reader.read_compact_size() != 0) reader.fail(chain::DecodeError::invalid_value);
        if (!reader.ok()) return message;
    }
    message.in_other_format = left;
    return message;
}

Message read_filter_load(ByteReader& reader) {
    return FilterLoad{reader.read_bytes(reader.remaining())};
}

Message read_filter_add(ByteReader& reader) {
    return FilterAdd{reader.read_var_bytes(kMaxPayloadBytes)};
}

Message read_merkle_block(ByteReader& reader) {
    MerkleBlock message;
    message.header = chain::read_block_header(reader);
    message.tree = chain::read_partial_merkle_tree(reader);
    reader.expect_end();
    return message;
}

Message read_full_block(ByteReader& reader) {
    auto block = chain::BlockView::find(reader.rest());
    if (!block) {
        reader.fail(block.error());
        return FullBlock{};
    }
    return FullBlock{*std::move(block)};
}

Message read_tx(ByteReader& reader) {
    Tx message{chain::read_transaction(reader)};
    reader.expect_end();
    return message;
}

Message read_send_compact(ByteReader& reader) {
    SendCompact message;
    const std::uint8_t high_bandwidth = reader.read_u8();
    if (high_bandwidth > 1) reader.fail(chain::DecodeError::invalid_value);
    message.high_bandwidth = high_bandwidth == 1;
    message.version = reader.read_u64();
    return message;
}

Message read_fee_filter(ByteReader& reader) {
    return FeeFilter{reader.read_i64()};
}

Message read_reject(ByteReader& reader) {
    Reject message;
    message.command = printable(reader.read_var_view(kCommandBytes));
    message.code = reader.read_u8();
    const ByteView reason = reader.read_var_view(kMaxPayloadBytes);
    message.reason = printable(reason.first(std::min(reason.size(), kMaxRejectReasonBytes)));
    if (reader.remaining() > 0) read_hash(reader, message.subject.emplace());
    return message;
}

Message read_addr(ByteReader& reader) {
    Addr message;
    for (auto left = reader.read_count(kMaxAddresses, kAddrEntryBytes); left > 0; --left) {
        GossipedAddress entry;
        entry.time = reader.read_u32();
        entry.services = reader.read_u64();
        const auto ip = reader.read_array<16>();
        const auto port = reader.read_u16_big_endian();
        auto address = from_ipv6_bytes(ip, port);
        if (!address) continue;
        entry.address = *std::move(address);
        message.addresses.push_back(std::move(entry));
    }
    return message;
}

/// IPv4 and OnionCat addresses embedded in IPv6 are ignored, as in Bitcoin Core.
std::optional<PeerAddress> to_peer_address(std::uint8_t network, ByteView host,
                                           std::uint16_t port) {
    constexpr std::uint8_t kLastReachable = 4;
    if (network > kLastReachable || !address_bytes_on(network)) return std::nullopt;
    const auto kind = static_cast<AddressKind>(network);
    if (kind == AddressKind::ipv6) {
        auto address = from_ipv6_bytes(host, port);
        return address && address->kind == kind ? address : std::nullopt;
    }
    return PeerAddress{kind, Bytes(host.begin(), host.end()), port};
}

Message read_addr_v2(ByteReader& reader) {
    AddrV2 message;
    for (auto left = reader.read_count(kMaxAddresses, kMinAddrV2EntryBytes); left > 0; --left) {
        GossipedAddress entry;
        entry.time = reader.read_u32();
        entry.services = reader.read_compact_size();
        const auto network = reader.read_u8();
        const auto host = reader.read_var_view(kMaxAddrV2Bytes);
        const auto port = reader.read_u16_big_endian();
        const auto size = address_bytes_on(network);
        if (size && host.size() != *size) reader.fail(chain::DecodeError::invalid_value);
        if (!reader.ok()) break;
        auto address = to_peer_address(network, host, port);
        if (!address) continue;
        entry.address = *std::move(address);
        message.addresses.push_back(std::move(entry));
    }
    return message;
}

BlockFilterType read_filter_type(ByteReader& reader) {
    return static_cast<BlockFilterType>(reader.read_u8());
}

template <typename T>
Message read_filter_range(ByteReader& reader) {
    T message;
    message.type = read_filter_type(reader);
    message.start_height = reader.read_u32();
    read_hash(reader, message.stop);
    return message;
}

Message read_get_cf_checkpt(ByteReader& reader) {
    GetCFCheckpt message;
    message.type = read_filter_type(reader);
    read_hash(reader, message.stop);
    return message;
}

Message read_c_filter(ByteReader& reader) {
    CFilter message;
    message.type = read_filter_type(reader);
    read_hash(reader, message.block);
    message.filter = reader.read_var_bytes(chain::kMaxBasicFilterBytes);
    reader.expect_end();
    return message;
}

Message read_cf_headers(ByteReader& reader) {
    CFHeaders message;
    message.type = read_filter_type(reader);
    read_hash(reader, message.stop);
    read_hash(reader, message.previous);
    message.hashes.resize(reader.read_count(kMaxFilterHashesPerMessage, kHashBytes));
    for (auto& hash : message.hashes) read_hash(reader, hash);
    reader.expect_end();
    return message;
}

Message read_cf_checkpt(ByteReader& reader) {
    CFCheckpt message;
    message.type = read_filter_type(reader);
    read_hash(reader, message.stop);
    message.headers.resize(reader.read_count(kMaxFilterCheckpoints, kHashBytes));
    for (auto& header : message.headers) read_hash(reader, header);
    reader.expect_end();
    return message;
}

struct Format {
    std::string_view command;
    Message (*read)(ByteReader& reader);
};

// Searched from the front: the most frequent messages of a sync come first.
constexpr std::array kFormats = {
    Format{MerkleBlock::kCommand, read_merkle_block},
    Format{Tx::kCommand, read_tx},
    Format{Headers::kCommand, read_headers},
    Format{FullBlock::kCommand, read_full_block},
    Format{CFilter::kCommand, read_c_filter},
    Format{Inv::kCommand, read_inventory<Inv>},
    Format{GetData::kCommand, read_inventory<GetData>},
    Format{NotFound::kCommand, read_inventory<NotFound>},
    Format{Ping::kCommand, read_nonce<Ping>},
    Format{Pong::kCommand, read_nonce<Pong>},
    Format{GetHeaders::kCommand, read_locator<GetHeaders>},
    Format{GetBlocks::kCommand, read_locator<GetBlocks>},
    Format{FilterLoad::kCommand, read_filter_load},
    Format{FilterAdd::kCommand, read_filter_add},
    Format{FilterClear::kCommand, read_empty<FilterClear>},
    Format{Mempool::kCommand, read_empty<Mempool>},
    Format{FeeFilter::kCommand, read_fee_filter},
    Format{SendCompact::kCommand, read_send_compact},
    Format{Reject::kCommand, read_reject},
    Format{Version::kCommand, read_version},
    Format{Verack::kCommand, read_empty<Verack>},
    Format{SendHeaders::kCommand, read_empty<SendHeaders>},
    Format{SendAddrV2::kCommand, read_empty<SendAddrV2>},
    Format{WtxidRelay::kCommand, read_empty<WtxidRelay>},
    Format{GetAddr::kCommand, read_empty<GetAddr>},
    Format{Addr::kCommand, read_addr},
    Format{AddrV2::kCommand, read_addr_v2},
    Format{CFHeaders::kCommand, read_cf_headers},
    Format{CFCheckpt::kCommand, read_cf_checkpt},
    Format{GetCFilters::kCommand, read_filter_range<GetCFilters>},
    Format{GetCFHeaders::kCommand, read_filter_range<GetCFHeaders>},
    Format{GetCFCheckpt::kCommand, read_get_cf_checkpt},
};
static_assert(kFormats.size() == std::variant_size_v<Message> - 1, "all messages but Unknown");

/// Writes the formats that the functions above read, in the same order of fields.
class PayloadWriter {
public:
    explicit PayloadWriter(ByteWriter& out) : out_(out) {}

    void operator()(const Version& version) const {
        assert(version.user_agent.size() <= kMaxUserAgentBytes);
        out_.i32(version.protocol).u64(version.services).i64(version.time);
        write_address(0);
        write_address(version.services);
        out_.u64(version.nonce).var_bytes(chain::as_bytes(version.user_agent));
        out_.i32(version.start_height).u8(version.relay ? 1 : 0);
    }
    void operator()(const Ping& ping) const { out_.u64(ping.nonce); }
    void operator()(const Pong& pong) const { out_.u64(pong.nonce); }
    void operator()(const Inv& message) const { write_inventory(message.entries); }
    void operator()(const GetData& message) const { write_inventory(message.entries); }
    void operator()(const NotFound& message) const { write_inventory(message.entries); }
    void operator()(const GetHeaders& message) const {
        write_locator(message.locator, message.stop);
    }
    void operator()(const GetBlocks& message) const {
        write_locator(message.locator, message.stop);
    }
    void operator()(const Headers& message) const {
        out_.compact_size(message.headers.size() + message.in_other_format);
        for (const auto& header : message.headers) out_.bytes(header.serialize()).u8(0);
        chain::Bytes other(kOtherHeaderBytes + 1);
        other[3] = 0x80;  // bit 31 of the version
        for (std::size_t i = 0; i < message.in_other_format; ++i) out_.bytes(other);
    }
    void operator()(const FilterLoad& message) const { out_.bytes(message.payload); }
    void operator()(const FilterAdd& message) const { out_.var_bytes(message.element); }
    void operator()(const MerkleBlock& message) const {
        out_.bytes(message.header.serialize()).bytes(message.tree.serialize());
    }
    void operator()(const FullBlock& message) const { out_.bytes(message.block.bytes()); }
    void operator()(const Tx& message) const { out_.bytes(message.transaction.serialize()); }
    void operator()(const SendCompact& message) const {
        out_.u8(message.high_bandwidth ? 1 : 0).u64(message.version);
    }
    void operator()(const FeeFilter& message) const { out_.i64(message.fee_rate); }
    void operator()(const Reject& message) const {
        out_.var_bytes(chain::as_bytes(message.command)).u8(message.code);
        out_.var_bytes(chain::as_bytes(message.reason));
        if (message.subject) out_.bytes(message.subject->view());
    }

    void operator()(const Addr& message) const {
        const auto has_ip = [](const GossipedAddress& entry) {
            return entry.address.kind != AddressKind::onion;
        };
        out_.compact_size(
            static_cast<std::uint64_t>(std::ranges::count_if(message.addresses, has_ip)));
        for (const auto& entry : message.addresses) {
            if (!has_ip(entry)) continue;
            out_.u32(static_cast<std::uint32_t>(entry.time)).u64(entry.services);
            if (entry.address.kind == AddressKind::ipv4) out_.bytes(kMappedIpv4);
            out_.bytes(entry.address.host).u16_big_endian(entry.address.port);
        }
    }
    void operator()(const AddrV2& message) const {
        out_.compact_size(message.addresses.size());
        for (const auto& entry : message.addresses) {
            out_.u32(static_cast<std::uint32_t>(entry.time)).compact_size(entry.services);
            out_.u8(static_cast<std::uint8_t>(entry.address.kind)).var_bytes(entry.address.host);
            out_.u16_big_endian(entry.address.port);
        }
    }

    void operator()(const GetCFilters& message) const { write_filter_range(message); }
    void operator()(const GetCFHeaders& message) const { write_filter_range(message); }
    void operator()(const GetCFCheckpt& message) const {
        write_filter_type(message.type).bytes(message.stop.view());
    }
    void operator()(const CFilter& message) const {
        write_filter_type(message.type).bytes(message.block.view()).var_bytes(message.filter);
    }
    void operator()(const CFHeaders& message) const {
        write_filter_type(message.type).bytes(message.stop.view()).bytes(message.previous.view());
        write_hashes(message.hashes);
    }
    void operator()(const CFCheckpt& message) const {
        write_filter_type(message.type).bytes(message.stop.view());
        write_hashes(message.headers);
    }

    template <typename T>
    requires(std::is_empty_v<T> || std::is_same_v<T, Unknown>) void operator()(const T&) const {}

private:
    /// The address is zero: nodes ignore this field, and petal accepts no connections.
    void write_address(std::uint64_t services) const {
        constexpr std::array<chain::Byte, 16> kNoIp{};
        out_.u64(services).bytes(kNoIp).u16_big_endian(0);
    }
    void write_locator(const std::vector<chain::BlockHash>& locator,
                       const chain::BlockHash& stop) const {
        out_.u32(static_cast<std::uint32_t>(kProtocolVersion));
        write_hashes(locator);
        out_.bytes(stop.view());
    }
    template <typename Hash>
    void write_hashes(const std::vector<Hash>& hashes) const {
        out_.compact_size(hashes.size());
        for (const auto& hash : hashes) out_.bytes(hash.view());
    }
    ByteWriter& write_filter_type(BlockFilterType type) const {
        return out_.u8(static_cast<std::uint8_t>(type));
    }
    template <typename T>
    void write_filter_range(const T& message) const {
        write_filter_type(message.type).u32(message.start_height).bytes(message.stop.view());
    }
    void write_inventory(const std::vector<Inventory>& entries) const {
        out_.compact_size(entries.size());
        for (const auto& entry : entries) {
            out_.u32(static_cast<std::uint32_t>(entry.type)).bytes(entry.hash.view());
        }
    }

    ByteWriter& out_;
};

}  // namespace

chain::Expected<Message, chain::DecodeError> decode_message(const Frame& frame) {
    const auto format = std::ranges::find(kFormats, frame.command, &Format::command);
    if (format == kFormats.end()) return Message(Unknown{std::string(frame.command)});
    ByteReader reader(frame.payload);
    Message message = format->read(reader);
    if (!reader.ok()) return chain::Unexpected(reader.error());
    return message;
}

Bytes encode_payload(const Message& message) {
    ByteWriter writer;
    std::visit(PayloadWriter(writer), message);
    return writer.take();
}

Bytes encode_message(const Magic& magic, const Message& message) {
    return encode_frame(magic, command_of(message), encode_payload(message));
}

}  // namespace petal::net
