// The watcher's own transactions, told again and again until a block confirms them.
#include <utility>

#include "net/sync/engine_state.h"

namespace petal::net {

void SyncEngine::State::on_request(const PeerSession& session, const GetData& message) {
    NotFound missing;
    for (const Inventory& entry : message.entries) {
        if (const auto* transaction = broadcaster.hand_out(session.id, entry)) {
            send(session, Tx{*transaction});
        } else {
            missing.entries.push_back(entry);
        }
    }
    if (!missing.entries.empty()) send(session, std::move(missing));
}

// Whoever tells of a transaction right after each block that does not confirm it is its owner: so
// not at once.
void SyncEngine::State::announce_own(Now now) {
    if (!options.announce_own_within || !blocks_complete()) return;
    if (announced_own_at_tip != chain.tip().hash) {
        announced_own_at_tip = chain.tip().hash;
        const auto range = static_cast<std::uint64_t>(options.announce_own_within->count()) + 1;
        const auto delay = static_cast<std::chrono::milliseconds::rep>(random.next() % range);
        announce_own_at = now.steady + std::chrono::milliseconds{delay};
    }
    if (!announce_own_at || now.steady < *announce_own_at) return;
    announce_own_at.reset();
    broadcaster.start(watcher.own_unconfirmed());
    if (broadcaster.empty() || announce_own_to_half()) return;
    announced_own_at_tip.reset();  // nobody was there to be told
}

bool SyncEngine::State::announce_own_to_half() {
    bool is_anybody_there = false;
    std::vector<PeerSession*> takers;
    for (auto& [peer, session] : sessions) {
        if (!session.is_ready() || !session.handshake.peer()->relay) continue;
        const auto rate = session.least_fee_rate;
        is_anybody_there = is_anybody_there || broadcaster.has_for(rate);
        if (broadcaster.has_for(rate, session.announced_by_peer)) takers.push_back(&session);
    }
    const std::size_t first = takers.empty() ? 0 : random.next() % takers.size();
    for (std::size_t i = 0; 2 * i < takers.size(); ++i) {
        PeerSession& session = *takers[(first + i) % takers.size()];
        Inv inv =
            broadcaster.announce(session.id, session.least_fee_rate, session.announced_by_peer);
        for (const Inventory& entry : inv.entries) {
            session.announced_to_peer.insert(chain::Txid{entry.hash.bytes});
        }
        send(session, std::move(inv));
    }
    return is_anybody_there;
}

}  // namespace petal::net
