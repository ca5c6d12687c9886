#include "net/io/peer_link.h"

#include <string>
#include <utility>

namespace petal::net {

namespace {

std::uint64_t blocks_of(PeerId peer, const SyncStatus& status) {
    const PeerReport* report = find_report(status.peers, peer);
    return report ? report->blocks : 0;
}

}  // namespace

PeerLink::PeerLink(PeerId id, Origin origin, asio::ip::tcp::socket socket, const Magic& magic,
                   ReadPace pace)
    : id_(id), origin_(origin), connection_(std::move(socket), magic, pace) {}

Traffic PeerLink::traffic() const {
    return {connection_.bytes_received(), connection_.bytes_sent()};
}

void PeerLink::record_frame(const Frame& frame) {
    if (on_message_) {
        on_message_(false, frame.command, kMessageHeaderBytes + frame.payload.size());
    }
}

chain::Expected<bool, Violation> PeerLink::within_budget(const Frame& frame, bool is_expected,
                                                         Now now) {
    if (is_expected && carries_answer(frame.command)) return true;
    if (unrequested_.spend(kMessageHeaderBytes + frame.payload.size(), now.steady)) {
        return is_expected;
    }
    return chain::Unexpected(Violation{DisconnectReason::unrequested, "messages"});
}

/// The rest of the stream cannot be parsed after an invalid message.
void PeerLink::refuse(const Violation& why) {
    connection_.close();
    failure_ = {why.reason, why.detail};
}

void PeerLink::record_progress(const SyncStatus& status, bool raised_headers) {
    blocks_ = blocks_of(id_, status);
    advanced_ = advanced_ || raised_headers || has_helped(blocks_, status);
    listened_ = listened_ || status.phase == SyncPhase::listening;
}

bool PeerLink::has_helped(std::uint64_t blocks, const SyncStatus& status) const {
    return blocks > 0 && status.synced_height > synced_before_;
}

PeerService PeerLink::service() const {
    if (advanced_) return PeerService::advanced;
    return listened_ || blocks_ > 0 ? PeerService::answered : PeerService::none;
}

PeerService PeerLink::service_until(const SyncStatus& status, DisconnectReason reason) const {
    const auto blocks = blocks_of(id_, status);
    if (advanced_ || has_helped(blocks, status)) return PeerService::advanced;
    const bool blamed = is_misbehaviour(reason) || reason == DisconnectReason::timed_out;
    return (listened_ || blocks > 0) && !blamed ? PeerService::answered : PeerService::none;
}

bool PeerLink::has_answered(const SyncStatus& status) const {
    const PeerReport* report = find_report(status.peers, id_);
    return report && report->answered;
}

void PeerLink::send(const Message& message) {
    if (!connection_.is_open()) return;
    // The peer announces all matching transactions of its mempool, which may take a full budget.
    if (std::holds_alternative<Mempool>(message)) unrequested_ = {};
    const std::size_t unsent = connection_.unsent_bytes();
    if (connection_.send(message)) {
        if (on_message_) {
            on_message_(true, command_of(message), connection_.unsent_bytes() - unsent);
        }
        return;
    }
    failure_ = {DisconnectReason::timed_out, "does not read (send buffer full)"};
    connection_.close();
}

void PeerLink::disconnect(EndpointFailure why) {
    ended_by_engine_ = true;
    failure_ = std::move(why);
    connection_.close();
}

EndpointFailure PeerLink::failure() const {
    return failure_.value_or(EndpointFailure{DisconnectReason::gone, {}});
}

}  // namespace petal::net
