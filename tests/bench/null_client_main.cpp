// A client that does nothing with the data that it receives: the lower bound to which `petal sync`
// is compared.
//
//     petal_bench_null_client HOST:PORT FILTER_FILE [BLOCKS_IN_FLIGHT]
//     petal_bench_null_client HOST:PORT --full-blocks [BLOCKS_IN_FLIGHT]
//     petal_bench_null_client HOST:PORT --compact-filters [HEIGHT...]
//
// Completes the handshake, loads the filter (a filterload payload in hexadecimal), and downloads
// headers and filtered blocks at the same time, with this many blocks in flight (default: 2,000).
// With --full-blocks, downloads full blocks with witnesses instead. With --compact-filters, two
// requests for 1,000 compact filters each are in flight, and the blocks at these heights are
// downloaded in full as soon as their filters have arrived.
// It checks no checksum, proof or transaction, but hashes headers, because blocks are requested by
// hash. It reads its socket at intervals, since a read for each arrival would wake the server each
// time. Prints as one line of JSON on standard output what it received.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <fstream>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/io/dial/endpoint.h"
#include "net/wire/codec.h"
#include "tests/support/loopback.h"

namespace petal::net {
namespace {

constexpr std::uint16_t kRegtestPort = 18'444;
constexpr std::size_t kReadBytes = 1U << 20;
constexpr std::chrono::milliseconds kReadPause{1};
/// Fewer blocks are not worth a getdata message, because each message wakes the server, too.
constexpr std::size_t kBlocksPerRequest = 250;
constexpr std::uint64_t kLastPing = 0xb10c;

[[noreturn]] void throw_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// A blocking TCP connection that is read without blocking.
class Socket {
public:
    explicit Socket(const Endpoint& endpoint) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        if (fd_ < 0) throw_errno("socket");
        const auto address = test::loopback(endpoint.port);
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            throw_errno("connect");
        }
        const int on = 1;
        ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() { ::close(fd_); }

    void send(chain::ByteView bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0) throw_errno("send");
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
        }
    }

    /// The bytes that have come after a pause; at least one byte.
    std::size_t receive(std::span<chain::Byte> room) {
        for (;;) {
            std::this_thread::sleep_for(kReadPause);
            const ssize_t size = ::recv(fd_, room.data(), room.size(), MSG_DONTWAIT);
            if (size > 0) return static_cast<std::size_t>(size);
            if (size == 0) throw std::runtime_error("the node hung up");
            if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) throw_errno("recv");
        }
    }

private:
    int fd_;
};

/// Splits the received bytes into messages without checking them.
class MessageStream {
public:
    MessageStream() : buffer_(kReadBytes) {}

    void fill_from(Socket& socket) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= std::exchange(begin_, 0);
        if (buffer_.size() - end_ < kReadBytes / 2) buffer_.resize(2 * buffer_.size());
        end_ += socket.receive(std::span(buffer_).subspan(end_));
    }

    std::optional<Frame> next() {
        if (end_ - begin_ < kMessageHeaderBytes) return std::nullopt;
        const chain::Byte* const header = buffer_.data() + begin_;
        std::uint32_t size = 0;
        // Little-endian, as on every machine that petal runs on.
        std::memcpy(&size, header + 16, sizeof size);
        if (end_ - begin_ < kMessageHeaderBytes + size) return std::nullopt;
        begin_ += kMessageHeaderBytes + size;
        const char* const command = reinterpret_cast<const char*>(header) + 4;
        return Frame{{command, ::strnlen(command, 12)}, {header + kMessageHeaderBytes, size}};
    }

private:
    chain::Bytes buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

/// What is downloaded besides the headers.
struct Download {
    InventoryType type = InventoryType::filtered_block;
    chain::Bytes filter;  ///< of filtered blocks
    std::size_t in_flight_limit = 2'000;
    bool has_compact_filters = false;  ///< `type` is then that of the blocks at `heights`
    std::set<std::size_t> heights;
};

struct Totals {
    std::size_t headers = 0;
    std::size_t compact_filters = 0;
    std::size_t blocks = 0;
    std::size_t transactions = 0;
};

class NullClient {
public:
    NullClient(const Endpoint& endpoint, Download download)
        : socket_(endpoint), download_(std::move(download)) {}

    Totals run() {
        Version version;
        version.user_agent = "/null-client:0/";
        version.nonce = 0x6e756c6c;  // a nonce that the node cannot take for its own
        version.relay = false;
        send(version);
        while (!finished_) {
            stream_.fill_from(socket_);
            while (const auto frame = stream_.next()) take(*frame);
            if (download_.has_compact_filters) request_filters();
            request_blocks();
        }
        return totals_;
    }

private:
    void send(const Message& message) { socket_.send(encode_message(magic_, message)); }

    void take(const Frame& frame) {
        if (frame.command == MerkleBlock::kCommand || frame.command == FullBlock::kCommand) {
            ++totals_.blocks;
            --in_flight_;
        } else if (frame.command == Tx::kCommand) {
            ++totals_.transactions;
        } else if (frame.command == CFilter::kCommand) {
            take_filter();
        } else if (frame.command == Headers::kCommand) {
            take_headers(frame.payload);
        } else if (frame.command == Version::kCommand) {
            send(Verack{});
        } else if (frame.command == Verack::kCommand) {
            if (!download_.filter.empty()) send(FilterLoad{download_.filter});
            request_headers(chain::find_network("regtest")->genesis.hash());
        } else if (frame.command == Ping::kCommand) {
            send(Pong{nonce_of(frame)});
        } else if (frame.command == Pong::kCommand) {
            finished_ = nonce_of(frame) == kLastPing;
        }
    }

    static std::uint64_t nonce_of(const Frame& frame) {
        chain::ByteReader reader(frame.payload);
        return reader.read_u64();
    }

    /// The next headers are requested at once. After a getdata, the request would wait for its
    /// blocks.
    void take_headers(chain::ByteView payload) {
        chain::ByteReader reader(payload);
        const auto count = reader.read_count(kMaxHeadersPerMessage, chain::kHeaderBytes + 1);
        for (std::size_t i = 0; i < count; ++i) {
            hashes_.push_back(chain::sha256d(reader.read_view(chain::kHeaderBytes)));
            if (!download_.has_compact_filters) wanted_.push_back({download_.type, hashes_.back()});
            reader.read_u8();
        }
        totals_.headers += count;
        has_all_headers_ = count < kMaxHeadersPerMessage;
        if (!has_all_headers_) request_headers({hashes_.back().bytes});
    }

    void request_headers(const chain::BlockHash& behind) { send(GetHeaders{{behind}, {}}); }

    /// Filters arrive in the order of their blocks.
    void take_filter() {
        const std::size_t height = ++totals_.compact_filters;
        if (download_.heights.contains(height)) {
            wanted_.push_back({download_.type, hashes_[height - 1]});
        }
    }

    void request_filters() {
        while (filters_requested_ - totals_.compact_filters <= kMaxFiltersPerRequest) {
            const std::size_t last =
                std::min(filters_requested_ + kMaxFiltersPerRequest, hashes_.size());
            const bool is_worth_it =
                has_all_headers_ || last == filters_requested_ + kMaxFiltersPerRequest;
            if (last == filters_requested_ || !is_worth_it) return;
            send(GetCFilters{BlockFilterType::basic,
                             static_cast<std::uint32_t>(filters_requested_ + 1),
                             {hashes_[last - 1].bytes}});
            filters_requested_ = last;
        }
    }

    void request_blocks() {
        const std::size_t room = download_.in_flight_limit - in_flight_;
        const std::size_t count = std::min(room, wanted_.size());
        const bool is_worth_it = count >= std::min(kBlocksPerRequest, download_.in_flight_limit) ||
                                 count == wanted_.size();
        if (count > 0 && is_worth_it) {
            const auto end = wanted_.begin() + static_cast<std::ptrdiff_t>(count);
            send(GetData{{wanted_.begin(), end}});
            wanted_.erase(wanted_.begin(), end);
            in_flight_ += count;
        }
        const bool has_all_filters =
            !download_.has_compact_filters || totals_.compact_filters == hashes_.size();
        const bool has_asked_for_all = has_all_headers_ && has_all_filters && wanted_.empty();
        if (has_asked_for_all && !std::exchange(has_sent_ping_, true)) send(Ping{kLastPing});
    }

    const Magic magic_ = chain::find_network("regtest")->magic;
    Socket socket_;
    MessageStream stream_;
    Download download_;

    std::vector<chain::Hash256> hashes_;  // of the blocks from height 1 on
    std::deque<Inventory> wanted_;
    std::size_t in_flight_ = 0;
    std::size_t filters_requested_ = 0;
    bool has_all_headers_ = false;
    bool has_sent_ping_ = false;
    bool finished_ = false;
    Totals totals_;
};

chain::Bytes read_filter(const char* path) {
    std::ifstream file(path);
    std::string hex;
    file >> hex;
    const auto bytes = chain::from_hex(hex);
    if (!file || !bytes) throw std::runtime_error(std::string(path) + " holds no filter");
    return *bytes;
}

Download read_download(std::span<char* const> arguments) {
    Download download;
    const std::string_view kind = arguments.front();
    const auto numbers = arguments.subspan(1);
    if (kind == "--compact-filters") {
        download.has_compact_filters = true;
        download.type = InventoryType::witness_block;
        for (const char* height : numbers) download.heights.insert(std::stoul(height));
        return download;
    }
    if (kind == "--full-blocks") {
        download.type = InventoryType::witness_block;
    } else {
        download.filter = read_filter(arguments.front());
    }
    if (!numbers.empty()) download.in_flight_limit = std::stoul(numbers.front());
    return download;
}

int run(int argc, char** argv) {
    if (argc < 3) {
        throw std::runtime_error(
            "usage: HOST:PORT FILTER_FILE|--full-blocks [BLOCKS_IN_FLIGHT], or "
            "HOST:PORT --compact-filters [HEIGHT...]");
    }
    const auto endpoint = parse_endpoint(argv[1], kRegtestPort);
    if (!endpoint) throw std::runtime_error(std::string(describe(endpoint.error())));
    Download download = read_download({argv + 2, argv + argc});
    const auto start = std::chrono::steady_clock::now();
    const Totals totals = NullClient(*endpoint, std::move(download)).run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::printf(
        "{\"wall_s\":%.4f,\"headers\":%zu,\"compact_filters\":%zu,\"blocks\":%zu,"
        "\"transactions\":%zu}\n",
        wall.count(), totals.headers, totals.compact_filters, totals.blocks, totals.transactions);
    return 0;
}

}  // namespace
}  // namespace petal::net

int main(int argc, char** argv) {
    try {
        return petal::net::run(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "error: %s\n", failure.what());
        return 1;
    }
}
