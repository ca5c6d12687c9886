#include "regtest/regtest_node.h"

#include <algorithm>
#include <utility>

namespace petal::regtest {
namespace {

/// Above this number of unprocessed bytes, messages are not read (Bitcoin Core: net.h,
/// DEFAULT_MAXRECEIVEBUFFER).
constexpr std::size_t kReceiveBufferBytes = 5'000'000;
/// The minimum cost of one step, in bytes.
constexpr std::size_t kStepBytes = 100;

}  // namespace

RegtestNode::RegtestNode(const RegtestChain& chain, NodeBehaviour behaviour, std::uint64_t nonce,
                         OrphansOfPeer orphans)
    : message_faults_(behaviour),
      processor_(chain, std::move(behaviour), nonce, orphans),
      work_left_(limits().turn_bytes) {}

void RegtestNode::greet(std::chrono::milliseconds now) {
    advance(now);
    if (!reads_nothing()) processor_.greet();
}

void RegtestNode::set_faults(const NodeBehaviour& behaviour) {
    processor_.requests().set_faults(behaviour);
    processor_.compact_filters().set_faults(behaviour);
    message_faults_ = MessageFaults(behaviour);
}

void RegtestNode::on_message(const net::Message& message, std::chrono::milliseconds now) {
    advance(now);
    if (reads_nothing()) return;
    if (message_faults_.hangs_up()) return disconnect("hangs up, as its behaviour says");
    inbox_.push(message, now_);
    work();
    message_faults_.count_message();
}

void RegtestNode::on_undecodable(std::string_view command, chain::DecodeError error,
                                 std::chrono::milliseconds now) {
    advance(now);
    // Bitcoin Core reads a list that is too long, and disconnects the peer. Other undecodable
    // messages are dropped.
    const bool is_too_long =
        error == chain::DecodeError::too_large &&
        (command == net::Inv::kCommand || command == net::GetData::kCommand ||
         command == net::GetHeaders::kCommand || command == net::GetBlocks::kCommand ||
         command == net::Headers::kCommand);
    const bool is_no_flag =
        error == chain::DecodeError::invalid_value && command == net::SendCompact::kCommand;
    if (processor_.peer().is_connected() && (is_too_long || is_no_flag)) {
        disconnect("misbehaving: " + std::string(command) + " beyond the protocol's limits");
    }
}

void RegtestNode::on_time(std::chrono::milliseconds now) {
    advance(now);
    if (reads_nothing()) return;
    if (processor_.peer().is_late(now_)) return disconnect("the handshake took too long");
    send_pass();
    work_left_ = limits().turn_bytes;
    work();
}

void RegtestNode::advance(std::chrono::milliseconds now) {
    now_ = now;
    processor_.peer().begin(now);
}

std::vector<net::Message> RegtestNode::take_output(std::size_t max_bytes) {
    auto messages = processor_.outbox().take(max_bytes);
    work_left_ = limits().turn_bytes;
    work();
    return messages;
}

bool RegtestNode::accepts_input() const {
    const std::size_t arrived =
        processor_.intake().arrived_bytes() + processor_.collector().arrived_bytes();
    return inbox_.bytes() + arrived < kReceiveBufferBytes;
}

/// Processes one message at a time, like Bitcoin Core's message loop. While a request for blocks or
/// filters is unfinished or the peer does not read, the next message waits.
void RegtestNode::work() {
    auto& requests = processor_.requests();
    auto& filters = processor_.compact_filters();
    while (!reads_nothing() && work_left_ > 0 &&
           processor_.outbox().bytes() < limits().send_buffer_bytes) {
        std::uint64_t bytes = kStepBytes;
        if (requests.has_requests()) {
            if (requests.is_at_work(now_)) return;
            const std::uint64_t before = requests.block_bytes_read();
            disconnect(processor_.serve_requests(limits().send_buffer_bytes));
            bytes += requests.block_bytes_read() - before;
        } else if (filters.has_request()) {
            bytes += filters.serve(processor_.outbox());
        } else if (const auto time = arrival_of_next(); time && *time <= now_) {
            requests.begin_work_at(*time);
            const std::size_t before = inbox_.bytes();
            const net::Message message = inbox_.pop_front();
            bytes += before - inbox_.bytes();
            disconnect(processor_.process(message, now_));
        } else {
            return;
        }
        send_pass();
        work_left_ -= std::min<std::size_t>(work_left_, bytes);
    }
}

/// When the next message to be processed arrives, after the lag. Empty if there is none.
std::optional<std::chrono::milliseconds> RegtestNode::arrival_of_next() const {
    if (inbox_.empty()) return std::nullopt;
    return inbox_.front_time() + processor_.behaviour().lag;
}

std::optional<std::chrono::milliseconds> RegtestNode::next_deadline() const {
    if (reads_nothing()) return std::nullopt;
    if (const auto ready_at = processor_.requests().ready_at()) return ready_at;
    return arrival_of_next();
}

void RegtestNode::send_pass() {
    if (!reads_nothing()) disconnect(processor_.send_pass(inbox_.empty(), now_));
}

void RegtestNode::disconnect(std::optional<std::string> reason) {
    if (!reason) return;
    disconnect_reason_ = std::move(reason);
    inbox_.clear();
    processor_.requests().clear();
    processor_.compact_filters().clear();
}

}  // namespace petal::regtest
