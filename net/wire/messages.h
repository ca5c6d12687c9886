/// The peer-to-peer messages that a light client sends, receives or serves, as plain values
/// (Bitcoin Core's protocol.h, BIP37, BIP61, BIP130, BIP133, BIP155, BIP157).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chain/block.h"
#include "chain/block_filters/block_filter.h"
#include "chain/block_header.h"
#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/merkle_proof.h"
#include "chain/transaction.h"
#include "net/wire/peer_address.h"

namespace petal::net {

inline constexpr std::int32_t kProtocolVersion = 70016;

/// Service bits of a `version` message.
inline constexpr std::uint64_t kNodeNetwork = 1U << 0;
inline constexpr std::uint64_t kNodeBloom = 1U << 2;  ///< BIP111
inline constexpr std::uint64_t kNodeWitness = 1U << 3;
inline constexpr std::uint64_t kNodeCompactFilters = 1U << 6;  ///< BIP157
inline constexpr std::uint64_t kNodeNetworkLimited = 1U << 10;
inline constexpr std::uint64_t kNodeV2Transport = 1U << 11;  ///< BIP324
/// Set by nodes that follow a fork with another header format (see Headers).
inline constexpr std::uint64_t kNodeOtherHeaders = 1U << 28;

inline constexpr std::size_t kMaxUserAgentBytes = 256;
inline constexpr std::size_t kMaxInventoryEntries = 50'000;
inline constexpr std::size_t kMaxHeadersPerMessage = 2'000;
inline constexpr std::size_t kMaxLocatorEntries = 101;
inline constexpr std::size_t kMaxAddresses = 1'000;
inline constexpr std::size_t kMaxFilterAddBytes = 520;
inline constexpr std::size_t kMaxRejectReasonBytes = 111;  ///< Bitcoin Core's former limit
/// BIP157: the limits of a request for filters, and of a request for filter headers.
inline constexpr std::uint32_t kMaxFiltersPerRequest = 1'000;
inline constexpr std::uint32_t kMaxFilterHashesPerMessage = 2'000;
/// BIP157: `cfcheckpt` has the filter header of each block at a multiple of this height.
inline constexpr std::uint32_t kFilterCheckpointInterval = 1'000;
/// The checkpoints of 100 million blocks, for which a payload has room. A receiver that knows the
/// stop block's height knows the exact number: height / kFilterCheckpointInterval.
inline constexpr std::size_t kMaxFilterCheckpoints = 100'000;

struct Version {
    static constexpr std::string_view kCommand = "version";
    std::int32_t protocol = kProtocolVersion;
    std::uint64_t services = 0;
    std::int64_t time = 0;  ///< Unix seconds
    std::uint64_t nonce = 0;
    std::string user_agent;  ///< BIP14. Decoded: printable ASCII only
    std::int32_t start_height = 0;
    bool relay = true;  ///< BIP37: false requests no transactions until a filter is loaded
    friend bool operator==(const Version&, const Version&) = default;
};

struct Verack {
    static constexpr std::string_view kCommand = "verack";
    friend bool operator==(const Verack&, const Verack&) = default;
};
struct SendHeaders {
    static constexpr std::string_view kCommand = "sendheaders";
    friend bool operator==(const SendHeaders&, const SendHeaders&) = default;
};
struct SendAddrV2 {
    static constexpr std::string_view kCommand = "sendaddrv2";
    friend bool operator==(const SendAddrV2&, const SendAddrV2&) = default;
};
struct WtxidRelay {
    static constexpr std::string_view kCommand = "wtxidrelay";
    friend bool operator==(const WtxidRelay&, const WtxidRelay&) = default;
};
struct Mempool {
    static constexpr std::string_view kCommand = "mempool";
    friend bool operator==(const Mempool&, const Mempool&) = default;
};
struct FilterClear {
    static constexpr std::string_view kCommand = "filterclear";
    friend bool operator==(const FilterClear&, const FilterClear&) = default;
};
struct GetAddr {
    static constexpr std::string_view kCommand = "getaddr";
    friend bool operator==(const GetAddr&, const GetAddr&) = default;
};

struct Ping {
    static constexpr std::string_view kCommand = "ping";
    std::uint64_t nonce = 0;
    friend bool operator==(const Ping&, const Ping&) = default;
};
struct Pong {
    static constexpr std::string_view kCommand = "pong";
    std::uint64_t nonce = 0;
    friend bool operator==(const Pong&, const Pong&) = default;
};

/// The type of an inventory entry. Unknown values are kept unchanged.
enum class InventoryType : std::uint32_t {
    tx = 1,
    block = 2,
    filtered_block = 3,
    compact_block = 4,
    wtx = 5,
    witness_tx = 0x40000001,
    witness_block = 0x40000002,
};

struct Inventory {
    InventoryType type = InventoryType::tx;
    chain::Hash256 hash;  ///< txid, wtxid or block hash, depending on the type
    friend bool operator==(const Inventory&, const Inventory&) = default;
};

struct Inv {
    static constexpr std::string_view kCommand = "inv";
    std::vector<Inventory> entries;
    friend bool operator==(const Inv&, const Inv&) = default;
};
struct GetData {
    static constexpr std::string_view kCommand = "getdata";
    std::vector<Inventory> entries;
    friend bool operator==(const GetData&, const GetData&) = default;
};
struct NotFound {
    static constexpr std::string_view kCommand = "notfound";
    std::vector<Inventory> entries;
    friend bool operator==(const NotFound&, const NotFound&) = default;
};

struct GetHeaders {
    static constexpr std::string_view kCommand = "getheaders";
    std::vector<chain::BlockHash> locator;  ///< newest first
    chain::BlockHash stop;                  ///< zero: as many as possible
    friend bool operator==(const GetHeaders&, const GetHeaders&) = default;
};
/// Requests an `inv` of the blocks after the locator. Used by clients that do not fetch headers
/// first.
struct GetBlocks {
    static constexpr std::string_view kCommand = "getblocks";
    std::vector<chain::BlockHash> locator;  ///< newest first
    chain::BlockHash stop;                  ///< zero: as many as a node announces at most
    friend bool operator==(const GetBlocks&, const GetBlocks&) = default;
};
/// The size of a header in the other format (see Headers).
inline constexpr std::size_t kOtherHeaderBytes = 164;

/// Some nodes follow forks of mainnet and testnet4 with longer headers (kOtherHeaderBytes), on the
/// same port and with the same magic. Bit 31 of the version marks a longer header.
struct Headers {
    static constexpr std::string_view kCommand = "headers";
    std::vector<chain::BlockHeader> headers;
    /// The number of entries from the first entry in the other format on. The content of these
    /// entries is not read.
    std::size_t in_other_format = 0;
    friend bool operator==(const Headers&, const Headers&) = default;
};

/// The payload is not checked here. The server decides whether the filter is acceptable
/// (bloom::BloomFilter::decode).
struct FilterLoad {
    static constexpr std::string_view kCommand = "filterload";
    chain::Bytes payload;
    friend bool operator==(const FilterLoad&, const FilterLoad&) = default;
};
/// Any length is decoded. The server disconnects a peer that sends more than kMaxFilterAddBytes.
struct FilterAdd {
    static constexpr std::string_view kCommand = "filteradd";
    chain::Bytes element;
    friend bool operator==(const FilterAdd&, const FilterAdd&) = default;
};
struct MerkleBlock {
    static constexpr std::string_view kCommand = "merkleblock";
    chain::BlockHeader header;
    chain::PartialMerkleTree tree;
    friend bool operator==(const MerkleBlock&, const MerkleBlock&) = default;
};
/// A block with all transactions, not checked against the header. It has witnesses if they were
/// requested (BIP144).
struct FullBlock {
    static constexpr std::string_view kCommand = "block";
    chain::BlockView block;
    friend bool operator==(const FullBlock&, const FullBlock&) = default;
};
struct Tx {
    static constexpr std::string_view kCommand = "tx";
    chain::Transaction transaction;
    friend bool operator==(const Tx&, const Tx&) = default;
};
/// BIP152. Not used by light clients.
struct SendCompact {
    static constexpr std::string_view kCommand = "sendcmpct";
    bool high_bandwidth = false;
    std::uint64_t version = 2;
    friend bool operator==(const SendCompact&, const SendCompact&) = default;
};
struct FeeFilter {
    static constexpr std::string_view kCommand = "feefilter";
    std::int64_t fee_rate = 0;  ///< satoshi per 1,000 vB
    friend bool operator==(const FeeFilter&, const FeeFilter&) = default;
};
/// BIP61: why a message was rejected. Sent by Bitcoin Core before 0.20, and by bcoin and btcd.
struct Reject {
    static constexpr std::string_view kCommand = "reject";
    std::string command;  ///< the rejected message
    std::uint8_t code = 0;
    std::string reason;  ///< decoded: printable ASCII only, at most kMaxRejectReasonBytes
    std::optional<chain::Hash256> subject;  ///< block hash or txid
    friend bool operator==(const Reject&, const Reject&) = default;
};

/// The type of a block filter (BIP158). Unknown values are kept unchanged. Bitcoin Core disconnects
/// a peer that requests another type than the basic filter.
enum class BlockFilterType : std::uint8_t { basic = 0 };

/// BIP157: requests a `cfilter` for each block from `start_height` to the stop block, at most
/// kMaxFiltersPerRequest. The server checks the number, because the height of the stop block is not
/// in the message.
struct GetCFilters {
    static constexpr std::string_view kCommand = "getcfilters";
    BlockFilterType type = BlockFilterType::basic;
    std::uint32_t start_height = 0;
    chain::BlockHash stop;
    friend bool operator==(const GetCFilters&, const GetCFilters&) = default;
};
/// The filter of one block, not decoded (chain::decode_basic_filter).
struct CFilter {
    static constexpr std::string_view kCommand = "cfilter";
    BlockFilterType type = BlockFilterType::basic;
    chain::BlockHash block;
    chain::Bytes filter;  ///< decoded: at most chain::kMaxBasicFilterBytes, for every type
    friend bool operator==(const CFilter&, const CFilter&) = default;
};
/// BIP157: requests the filter hashes of the blocks from `start_height` to the stop block, at most
/// kMaxFilterHashesPerMessage.
struct GetCFHeaders {
    static constexpr std::string_view kCommand = "getcfheaders";
    BlockFilterType type = BlockFilterType::basic;
    std::uint32_t start_height = 0;
    chain::BlockHash stop;
    friend bool operator==(const GetCFHeaders&, const GetCFHeaders&) = default;
};
struct CFHeaders {
    static constexpr std::string_view kCommand = "cfheaders";
    BlockFilterType type = BlockFilterType::basic;
    chain::BlockHash stop;
    /// The filter header of the block before the first hash. Zero before the genesis block.
    chain::FilterHeader previous;
    std::vector<chain::FilterHash> hashes;  ///< lowest block first
    friend bool operator==(const CFHeaders&, const CFHeaders&) = default;
};
/// BIP157: requests the filter headers at the multiples of kFilterCheckpointInterval up to the stop
/// block.
struct GetCFCheckpt {
    static constexpr std::string_view kCommand = "getcfcheckpt";
    BlockFilterType type = BlockFilterType::basic;
    chain::BlockHash stop;
    friend bool operator==(const GetCFCheckpt&, const GetCFCheckpt&) = default;
};
struct CFCheckpt {
    static constexpr std::string_view kCommand = "cfcheckpt";
    BlockFilterType type = BlockFilterType::basic;
    chain::BlockHash stop;
    std::vector<chain::FilterHeader> headers;  ///< lowest block first, without the genesis block
    friend bool operator==(const CFCheckpt&, const CFCheckpt&) = default;
};

/// An address from `addr` or `addrv2`.
struct GossipedAddress {
    PeerAddress address;
    std::uint64_t services = 0;  ///< claimed by the sender, not verified
    std::int64_t time = 0;       ///< Unix seconds: when a node was last seen at the address
    friend bool operator==(const GossipedAddress&, const GossipedAddress&) = default;
};

/// `addr` cannot carry Tor v3 addresses, which are not written. Tor v2 addresses are not read.
struct Addr {
    static constexpr std::string_view kCommand = "addr";
    std::vector<GossipedAddress> addresses;
    friend bool operator==(const Addr&, const Addr&) = default;
};
/// BIP155. Addresses of networks that petal cannot reach are not decoded.
struct AddrV2 {
    static constexpr std::string_view kCommand = "addrv2";
    std::vector<GossipedAddress> addresses;
    friend bool operator==(const AddrV2&, const AddrV2&) = default;
};

/// A message that petal does not use. The payload is dropped unread.
struct Unknown {
    std::string command;
    friend bool operator==(const Unknown&, const Unknown&) = default;
};

using Message = std::variant<Version, Verack, SendHeaders, SendAddrV2, WtxidRelay, Mempool,
                             FilterClear, GetAddr, Ping, Pong, Inv, GetData, NotFound, GetHeaders,
                             GetBlocks, Headers, FilterLoad, FilterAdd, MerkleBlock, FullBlock, Tx,
                             SendCompact, FeeFilter, Reject, Addr, AddrV2, GetCFilters, CFilter,
                             GetCFHeaders, CFHeaders, GetCFCheckpt, CFCheckpt, Unknown>;

/// The command of a message on the wire. For Unknown, a view into the message.
std::string_view command_of(const Message& message);

}  // namespace petal::net
