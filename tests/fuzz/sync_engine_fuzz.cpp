/// Peers after completed handshakes, one after the other. Each answers like an honest node, but its
/// messages may be dropped, repeated, swapped or changed on the way, and other messages may come in
/// between. The engine must keep its invariants, and show the watcher nothing that is not in the
/// chain. At the end an honest peer is left alone with it: the sync must end with all payments.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/network_params.h"
#include "chain/script/script.h"
#include "net/peer/received_message.h"
#include "net/sync/filters/filter_policy.h"
#include "net/sync/sync_engine.h"
#include "net/wire/codec.h"
#include "regtest/regtest_node.h"
#include "tests/fuzz/one_element_watcher.h"
#include "tests/fuzz/small_limits.h"

namespace {

using namespace petal;
using net::Message;

/// Far more than a sync takes.
constexpr int kMostRounds = 1'000;

constexpr std::array<std::string_view, 15> kCommandsOfPeers{
    "headers", "merkleblock", "tx",        "inv",      "notfound", "ping", "pong",  "version",
    "verack",  "getdata",     "feefilter", "nonsense", "block",    "addr", "addrv2"};

chain::Bytes script_of_owner() {
    return chain::witness_program_script(0, fuzz::OneElementWatcher::element());
}

/// A chain whose last blocks pay the watcher and others.
regtest::RegtestChain make_chain(std::uint32_t blocks) {
    regtest::RegtestChain chain;
    for (std::uint32_t i = 0; i < blocks; ++i) {
        std::vector<chain::Transaction> transactions;
        for (std::uint32_t k = 0; k < i % 4; ++k) {
            const auto paid = k == 1 ? chain::Bytes{0x51} : script_of_owner();
            transactions.push_back(chain.make_payment({{1'000 + i, paid}}));
        }
        chain.mine_block(std::move(transactions));
    }
    return chain;
}

/// Two branches of one chain; the second has more work.
const std::array<regtest::RegtestChain, 2>& chains() {
    static const std::array<regtest::RegtestChain, 2> made = [] {
        std::array<regtest::RegtestChain, 2> both{make_chain(12), make_chain(12)};
        both[1].reorganise(both[1].height() - 4, 5);
        both[1].mine();
        return both;
    }();
    return made;
}

/// The height of the first payment, so that not every run has to get that far.
std::uint32_t first_payment() {
    static const std::uint32_t height = chains()[0].height() - 14;
    return height;
}

class CheckingWatcher : public fuzz::OneElementWatcher {
public:
    /// Whether it knows each payment of the second chain, in its block.
    bool is_complete() const {
        const regtest::RegtestChain& chain = chains()[1];
        for (std::uint32_t height = first_payment(); height <= chain.height(); ++height) {
            const auto& entry = chain.blocks().at(height);
            for (std::size_t i = 1; i < entry.txids.size(); ++i) {
                if (pays_owner(entry.transaction(i)) && !seen_.contains({height, entry.txids[i]})) {
                    return false;
                }
            }
        }
        return true;
    }

    chain::Birthday birthday() const override { return {first_payment(), 0}; }
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override {
        for (const chain::ProvenBlock& proven : blocks) {
            for (const auto& transaction : proven.transactions) {
                assert(is_in_chain(proven.block.hash, transaction));
                seen_.emplace(proven.block.height, transaction.txid);
            }
        }
        return OneElementWatcher::apply(blocks, state_after);
    }

    void undo_to(const chain::BlockRef& fork) override {
        seen_.erase(seen_.lower_bound({fork.height + 1, {}}), seen_.end());
        OneElementWatcher::undo_to(fork);
    }

private:
    static bool pays_owner(const chain::Transaction& transaction) {
        return std::ranges::any_of(transaction.outputs, [](const chain::TxOutput& output) {
            return output.script_pubkey == script_of_owner();
        });
    }
    static bool is_in_chain(const chain::BlockHash& hash, const chain::ProvenTransaction& proven) {
        return std::ranges::any_of(chains(), [&](const regtest::RegtestChain& chain) {
            const auto* const entry = chain.blocks().find(hash);
            return entry != nullptr && proven.position < entry->txids.size() &&
                   entry->txids[proven.position] == proven.txid &&
                   proven.transaction.txid() == proven.txid;
        });
    }

    std::set<std::pair<std::uint32_t, chain::Txid>> seen_;
};

net::SyncOptions options(std::uint8_t choice) {
    using enum net::MatchSourceKind;
    constexpr std::array kSources{filtered_blocks, full_blocks, compact_filters, filtered_blocks};
    net::SyncOptions options;
    options.blocks.source = kSources.at(choice % kSources.size());
    options.false_positive_rate = net::kLowestRate;  // few decoys, so that filters are made quickly
    options.filter_bytes = fuzz::kFilterBytes;
    options.header_limits = fuzz::kHeaderLimits;
    options.blocks.in_flight = 20;
    options.blocks.per_batch = 5;
    options.wait_unconfirmed = std::chrono::milliseconds{1'000};
    return options;
}

class Interference {
public:
    explicit Interference(chain::ByteView input) : input_(input) {
        engine_.events.on_withheld_block = [this](const chain::BlockRef&) { was_withheld_ = true; };
        connect();
    }

    void run() {
        while (input_.ok() && input_.remaining() > 0) {
            step(input_.read_u8());
            obey();
            assert(engine_.status().synced_height <= chain_.tip().height);
        }
        end_honestly();
    }

private:
    void step(std::uint8_t what) {
        const std::size_t count = 1 + what / 16;
        switch (what % 16) {
            case 0:
                return connect_again(what);
            case 1:
                now_.steady += std::chrono::milliseconds{count * count * 100};
                return engine_.on_time(now_);
            case 2:
                if (!on_the_way_.empty()) on_the_way_.pop_front();
                return;
            case 3:
                if (!on_the_way_.empty()) on_the_way_.push_front(on_the_way_.front());
                return;
            case 4:
                if (on_the_way_.size() > count) std::swap(on_the_way_[0], on_the_way_[count]);
                return;
            case 5:
                return deliver_changed();
            case 6:
            case 7:
                return deliver_raw();
            default:
                for (std::size_t i = 0; i < 2 * count; ++i) deliver_next();
        }
    }

    /// Lets a new peer with the best chain serve it to the end, unless there are forged headers of
    /// more work, or peers have withheld its blocks: it counts again only with a new header. Only
    /// forged proofs can have hidden a payment.
    void end_honestly() {
        if (is_open_) engine_.on_closed(peer_, now_);
        is_open_ = true;
        on_the_way_.clear();
        peer_ = (peer_ | 1U) + 2;
        connect();
        for (int round = 0; is_open_ && !engine_.finished() && round < kMostRounds; ++round) {
            if (on_the_way_.empty()) {
                now_.steady = std::max(now_.steady, engine_.next_deadline().value_or(now_.steady));
                engine_.on_time(now_);
                obey();
            }
            while (is_open_ && !on_the_way_.empty()) deliver_next();
        }
        if (chain_.tip().hash != chains()[1].tip()) {
            return assert(has_forged_headers_ || was_withheld_);
        }
        assert(is_open_ && engine_.finished());
        assert(watcher_.is_complete() || has_forged_proofs_);
    }

    /// Connects the next peer and completes the handshake.
    void connect() {
        node_.emplace(chains().at(peer_ % 2), regtest::NodeBehaviour{.limits = fuzz::kNodeLimits},
                      /*nonce=*/peer_);
        engine_.on_connected(peer_, {"peer", "peer", {}}, now_);
        for (int i = 0; i < 6; ++i) {
            obey();
            deliver_next();
        }
    }

    void connect_again(std::uint8_t what) {
        if (is_open_) engine_.on_closed(peer_, now_);
        is_open_ = true;
        on_the_way_.clear();
        peer_ += 1U + what / 16U % 2U;
        connect();
    }

    void obey() {
        for (const net::Command& command : engine_.take_commands()) {
            if (const auto* send = std::get_if<net::Send>(&command)) {
                if (send->peer == peer_) node_->on_message(send->message, now_.steady);
            } else if (std::get<net::Disconnect>(command).peer == peer_) {
                is_open_ = false;
            }
        }
        node_->on_time(now_.steady);
        for (Message& message : node_->take_output()) on_the_way_.push_back(std::move(message));
    }

    Message take_next() {
        Message next = std::move(on_the_way_.front());
        on_the_way_.pop_front();
        return next;
    }

    void deliver_next() {
        if (on_the_way_.empty()) return;
        const Message next = take_next();
        deliver(net::command_of(next), net::encode_payload(next));
    }

    void deliver_changed() {
        if (on_the_way_.empty()) return;
        const Message next = take_next();
        chain::Bytes payload = net::encode_payload(next);
        const std::size_t at = input_.read_u16();
        const std::uint8_t by = input_.read_u8();
        if (!payload.empty()) payload[at % payload.size()] ^= by;
        deliver_forged(net::command_of(next), payload);
    }

    void deliver_raw() {
        const std::string_view command =
            kCommandsOfPeers.at(input_.read_u8() % kCommandsOfPeers.size());
        const std::size_t size = input_.read_u8();
        deliver_forged(command, input_.read_view(std::min(size, input_.remaining())));
    }

    void deliver_forged(std::string_view command, chain::ByteView payload) {
        has_forged_headers_ = has_forged_headers_ || command == net::Headers::kCommand;
        has_forged_proofs_ = has_forged_proofs_ || command == net::MerkleBlock::kCommand ||
                             command == net::CFilter::kCommand;
        deliver(command, payload);
    }

    /// Delivers a message as io does.
    void deliver(std::string_view command, chain::ByteView payload) {
        if (!is_open_) return;
        const net::Frame frame{command, payload};
        const auto expected = engine_.expects(peer_, frame);
        if (expected && !*expected) return;
        if (!expected) {
            engine_.on_bad_bytes(peer_, expected.error().reason, expected.error().detail, now_);
        } else if (auto message = net::decode_message(frame)) {
            engine_.on_message(peer_, *std::move(message), now_);
        } else {
            engine_.on_bad_bytes(peer_, net::DisconnectReason::malformed_message, "", now_);
        }
        obey();
    }

    chain::ByteReader input_;
    chain::HeaderChain chain_{*chain::find_network("regtest")};
    CheckingWatcher watcher_;
    net::SyncEngine engine_{chain_, watcher_, options(input_.read_u8())};
    net::Now now_{std::chrono::milliseconds{0}, 1'700'000'000};
    net::PeerId peer_ = 1;
    bool is_open_ = true;
    bool has_forged_headers_ = false;
    bool was_withheld_ = false;
    bool has_forged_proofs_ = false;
    std::optional<regtest::RegtestNode> node_;
    std::deque<Message> on_the_way_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Interference{{data, size}}.run();
    return 0;
}
