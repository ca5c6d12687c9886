#include "regtest/message_queue.h"

#include <cassert>
#include <utility>

#include "net/wire/message_header.h"

namespace petal::regtest {
namespace {

constexpr std::size_t kInventoryBytes = 36;
constexpr std::size_t kHashBytes = 32;
/// The assumed size of all other payloads.
constexpr std::size_t kSmallPayloadBytes = 120;

struct PayloadBytes {
    std::size_t operator()(const net::Inv& inv) const {
        return kInventoryBytes * inv.entries.size();
    }
    std::size_t operator()(const net::GetData& request) const {
        return kInventoryBytes * request.entries.size();
    }
    std::size_t operator()(const net::NotFound& answer) const {
        return kInventoryBytes * answer.entries.size();
    }
    std::size_t operator()(const net::GetHeaders& request) const {
        return kHashBytes * (request.locator.size() + 1);
    }
    std::size_t operator()(const net::GetBlocks& request) const {
        return kHashBytes * (request.locator.size() + 1);
    }
    std::size_t operator()(const net::Headers& message) const {
        return (chain::kHeaderBytes + 1) * message.headers.size() +
               (net::kOtherHeaderBytes + 1) * message.in_other_format;
    }
    std::size_t operator()(const net::FilterLoad& message) const { return message.payload.size(); }
    std::size_t operator()(const net::FilterAdd& message) const { return message.element.size(); }
    std::size_t operator()(const net::MerkleBlock& message) const {
        return chain::kHeaderBytes + kHashBytes * message.tree.hashes.size() +
               message.tree.flags.size();
    }
    std::size_t operator()(const net::FullBlock& message) const {
        return message.block.bytes().size();
    }
    std::size_t operator()(const net::Tx& message) const { return wire_bytes(message.transaction); }
    std::size_t operator()(const net::CFilter& message) const {
        return kHashBytes + message.filter.size();
    }
    std::size_t operator()(const net::CFHeaders& message) const {
        return kHashBytes * (message.hashes.size() + 2);
    }
    std::size_t operator()(const net::CFCheckpt& message) const {
        return kHashBytes * (message.headers.size() + 1);
    }
    template <typename T>
    std::size_t operator()(const T&) const {
        return kSmallPayloadBytes;
    }
};

}  // namespace

std::size_t wire_bytes(const chain::Transaction& transaction) {
    constexpr std::size_t kAround = 12;
    constexpr std::size_t kInput = 41;
    constexpr std::size_t kOutput = 9;
    std::size_t bytes = kAround;
    for (const auto& input : transaction.inputs) {
        bytes += kInput + input.script_sig.size() + input.witness.serialized_items().size();
    }
    for (const auto& output : transaction.outputs) bytes += kOutput + output.script_pubkey.size();
    return bytes;
}

std::size_t wire_bytes(const net::Message& message) {
    return net::kMessageHeaderBytes + std::visit(PayloadBytes(), message);
}

void MessageQueue::push(net::Message message, std::chrono::milliseconds time) {
    // A decoded block refers to the buffer from which it was read.
    if (auto* const full = std::get_if<net::FullBlock>(&message)) full->block.own_bytes();
    bytes_ += wire_bytes(message);
    waiting_.push_back({std::move(message), time});
}

net::Message MessageQueue::pop_front() {
    assert(!waiting_.empty());
    net::Message message = std::move(waiting_.front().message);
    waiting_.pop_front();
    bytes_ -= wire_bytes(message);
    return message;
}

std::vector<net::Message> MessageQueue::take(std::size_t max_bytes) {
    std::vector<net::Message> taken;
    std::size_t taken_bytes = 0;
    while (!waiting_.empty() && (taken.empty() || taken_bytes < max_bytes)) {
        const std::size_t before = bytes_;
        taken.push_back(pop_front());
        taken_bytes += before - bytes_;
    }
    return taken;
}

void MessageQueue::clear() {
    waiting_.clear();
    bytes_ = 0;
}

}  // namespace petal::regtest
