// A client that does nothing with the data that it receives: the lower bound to which `petal sync`
// is compared.
//
//     petal_bench_null_client HOST:PORT FILTER_FILE|--full-blocks [BLOCKS_IN_FLIGHT]
//
// Completes the handshake, loads the filter (a filterload payload in hexadecimal), and downloads
// headers and filtered blocks at the same time, with this many blocks in flight (default: 2,000).
// With --full-blocks, downloads full blocks with witnesses instead.
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

struct Totals {
    std::size_t headers = 0;
    std::size_t blocks = 0;
    std::size_t transactions = 0;
};

class NullClient {
public:
    /// filter   empty: downloads full blocks
    NullClient(const Endpoint& endpoint, std::optional<chain::Bytes> filter,
               std::size_t in_flight_limit)
        : socket_(endpoint), filter_(std::move(filter)), in_flight_limit_(in_flight_limit) {}

    Totals run() {
        Version version;
        version.user_agent = "/null-client:0/";
        version.nonce = 0x6e756c6c;  // a nonce that the node cannot take for its own
        version.relay = false;
        send(version);
        while (!finished_) {
            stream_.fill_from(socket_);
            while (const auto frame = stream_.next()) take(*frame);
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
        } else if (frame.command == Headers::kCommand) {
            take_headers(frame.payload);
        } else if (frame.command == Version::kCommand) {
            send(Verack{});
        } else if (frame.command == Verack::kCommand) {
            if (filter_) send(FilterLoad{*filter_});
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
            wanted_.push_back(
                {filter_ ? InventoryType::filtered_block : InventoryType::witness_block,
                 chain::sha256d(reader.read_view(chain::kHeaderBytes))});
            reader.read_u8();
        }
        totals_.headers += count;
        has_all_headers_ = count < kMaxHeadersPerMessage;
        if (!has_all_headers_) request_headers({wanted_.back().hash.bytes});
    }

    void request_headers(const chain::BlockHash& behind) { send(GetHeaders{{behind}, {}}); }

    void request_blocks() {
        const std::size_t room = in_flight_limit_ - in_flight_;
        const std::size_t count = std::min(room, wanted_.size());
        const bool is_worth_it =
            count >= std::min(kBlocksPerRequest, in_flight_limit_) || count == wanted_.size();
        if (count > 0 && is_worth_it) {
            const auto end = wanted_.begin() + static_cast<std::ptrdiff_t>(count);
            send(GetData{{wanted_.begin(), end}});
            wanted_.erase(wanted_.begin(), end);
            in_flight_ += count;
        }
        const bool has_asked_for_all = has_all_headers_ && wanted_.empty();
        if (has_asked_for_all && !std::exchange(has_sent_ping_, true)) send(Ping{kLastPing});
    }

    const Magic magic_ = chain::find_network("regtest")->magic;
    Socket socket_;
    MessageStream stream_;
    std::optional<chain::Bytes> filter_;
    std::size_t in_flight_limit_;

    std::deque<Inventory> wanted_;
    std::size_t in_flight_ = 0;
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

int run(int argc, char** argv) {
    if (argc < 3) {
        throw std::runtime_error("usage: HOST:PORT FILTER_FILE|--full-blocks [BLOCKS_IN_FLIGHT]");
    }
    std::optional<chain::Bytes> filter;
    if (std::string_view(argv[2]) != "--full-blocks") filter = read_filter(argv[2]);
    const auto endpoint = parse_endpoint(argv[1], kRegtestPort);
    if (!endpoint) throw std::runtime_error(std::string(describe(endpoint.error())));
    const std::size_t limit = argc > 3 ? std::stoul(argv[3]) : 2'000;
    const auto start = std::chrono::steady_clock::now();
    const Totals totals = NullClient(*endpoint, std::move(filter), limit).run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::printf("{\"wall_s\":%.4f,\"headers\":%zu,\"blocks\":%zu,\"transactions\":%zu}\n",
                wall.count(), totals.headers, totals.blocks, totals.transactions);
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
