// What peers say: each message's way through the engine.
#include <algorithm>
#include <utility>

#include "net/sync/engine_state.h"

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

Outcome SyncEngine::State::dispatch(PeerSession& session, Message message, Now now) {
    session.heard_at = now.steady;
    if (!session.handshake.complete()) return on_handshake(session, message, now);
    if (const auto* ping = std::get_if<Ping>(&message)) {
        return send(session, Pong{ping->nonce}), Outcome{};
    }
    if (const auto* pong = std::get_if<Pong>(&message)) return on_pong(session, *pong, now);
    if (const auto* headers = std::get_if<Headers>(&message))
        return on_headers(session, *headers, now);
    if (const auto* inv = std::get_if<Inv>(&message)) return on_inventory(session, *inv, now);
    if (auto* tx = std::get_if<Tx>(&message)) return on_transaction(session, std::move(*tx), now);
    if (const auto* block = std::get_if<MerkleBlock>(&message)) {
        auto delivery = session.blocks.on_merkle_block(*block);
        session.transactions_due += session.blocks.missing_transactions();
        return on_delivery(session, std::move(delivery), now);
    }
    if (auto* whole = std::get_if<FullBlock>(&message)) {
        return on_delivery(session, session.blocks.on_full_block(std::move(*whole), watch_index()),
                           now);
    }
    if (const auto* missing = std::get_if<NotFound>(&message))
        return on_not_found(session, *missing, now);
    if (const auto* request = std::get_if<GetData>(&message)) on_request(session, *request);
    if (const auto* fee = std::get_if<FeeFilter>(&message)) {
        if (fee->fee_rate >= 0 && fee->fee_rate <= chain::kMaxMoney)
            session.least_fee_rate = fee->fee_rate;
    }
    return {};
}

Outcome SyncEngine::State::on_handshake(PeerSession& session, const Message& message, Now now) {
    auto answers = session.handshake.on_message(message);
    if (const auto& version = session.handshake.peer()) {
        PeerReport& peer = report(session.id);
        peer.user_agent = version->user_agent;
        peer.services = version->services;
        peer.height = version->start_height;
        session.pace.on_round_trip(now.steady - session.connected_at);
    }
    if (!answers) return Unexpected(answers.error());
    for (Message& answer : *answers) send(session, std::move(answer));
    if (!session.handshake.complete()) return {};
    const std::int32_t claimed = session.handshake.peer()->start_height;
    session.headers.emplace(claimed, HeaderSyncOptions{options.threshold, random.next()});
    if (options.full_blocks) {
        const auto from = chain.network().segwit_height;
        session.blocks.ask_for_full_blocks(session.serves_witnesses() ? std::optional(from)
                                                                      : std::nullopt);
    }
    session.claimed_height = static_cast<std::uint32_t>(std::max(claimed, 0));
    return {};
}

Outcome SyncEngine::State::on_pong(PeerSession& session, const Pong& pong, Now now) {
    if (pong.nonce == session.sign_of_life_nonce) session.sign_of_life_due.reset();
    if (session.headers->on_pong(pong, chain, now)) request_headers(session, now);
    return on_passed_over(session, session.blocks.on_pong(pong), now);
}

// Servers say nothing about blocks that they don't have. A peer whose chain ends early, or differs
// at the end, is not to blame; one that has shown to have the block is.
Outcome SyncEngine::State::on_passed_over(PeerSession& session,
                                          const std::vector<chain::BlockRef>& blocks, Now now) {
    if (blocks.empty()) return {};
    std::vector<std::uint32_t> heights;
    for (const chain::BlockRef& block : blocks) {
        heights.push_back(block.height);
        if (block.height > session.shown_height) continue;
        return Unexpected(Violation{DisconnectReason::incomplete,
                                    "no whole answer for block " + block.hash.to_hex()});
    }
    const std::uint32_t lowest = *std::min_element(heights.begin(), heights.end());
    session.claimed_height = std::min(session.claimed_height, lowest - 1);
    if (!session.behind_since) session.behind_since = now.steady;
    scan.on_lost(session.id, heights);
    cross_check.on_lost(session.id);
    return {};
}

// The peer has shown that it has this block, which is known.
void SyncEngine::State::on_shown(PeerSession& session, const chain::BlockHash& hash) {
    const auto fork = chain.fork_point(hash);
    if (!fork || fork->height < session.shown_height) return;
    session.shown = hash;
    session.shown_height = fork->height;
    session.behind_since.reset();
}

void SyncEngine::State::request_headers(PeerSession& session, Now now) {
    if (!std::exchange(session.headers_asked, true)) session.headers_moved_at = now.steady;
    if (!session.headers->waiting_since()) session.headers_at = now.steady;
    for (Message& message : session.headers->request(chain, random.next(), now)) {
        send(session, std::move(message));
    }
}

Outcome SyncEngine::State::on_headers(PeerSession& session, const Headers& message, Now now) {
    const chain::BlockRef old_tip = chain.tip();
    auto progress = session.headers->on_headers(message, chain, now);
    // Headers before a bad one are good, and may have moved the best chain.
    follow_chain(old_tip);
    if (!progress) return Unexpected(progress.error());
    report(session.id).answered = true;
    if (progress->advanced) session.headers_at = session.headers_moved_at = now.steady;
    status.headers += progress->result.added;
    if (!message.headers.empty()) on_shown(session, message.headers.back().hash());
    // Before any request for blocks: the server gets to it only when those before it are served.
    if (progress->ask_on) request_headers(session, now);
    return {};
}

void SyncEngine::State::follow_chain(const chain::BlockRef& old_tip) {
    const auto fork = chain.fork_point(old_tip.hash);
    assert(fork);
    const chain::ChainMove move{old_tip, *fork, chain.tip()};
    if (!move.is_reorganisation()) return;
    unconfirmed_seen_at = std::min(unconfirmed_seen_at, move.fork.height);
    discard_above(move.fork.height);
    scan.on_chain_moved(move);
    cached_watch_index.reset();  // coins whose spends were settled may be there again
    // What is unconfirmed again may be replaced, which its inputs show; spent coins may be there
    // again.
    for (auto& [peer, session] : sessions) {
        session.filter_stale = true;
        if (session.shown) session.shown_height = chain.fork_point(*session.shown)->height;
    }
    ++status.reorgs;
    if (engine.on_reorganisation) engine.on_reorganisation(move);
}

Outcome SyncEngine::State::on_inventory(PeerSession& session, const Inv& message, Now now) {
    std::vector<chain::Txid> announced;
    for (const Inventory& entry : message.entries) {
        if (entry.type == InventoryType::block) {
            const chain::BlockHash block{entry.hash.bytes};
            on_shown(session, block);
            if (session.headers->on_block_announced(block, chain)) request_headers(session, now);
        }
        if (entry.type == InventoryType::tx) announced.push_back(chain::Txid{entry.hash.bytes});
    }
    for (const chain::Txid& txid : announced) {
        session.blocks.on_announced(txid, txids_of_each());
        session.announced_by_peer.insert(txid);
        if (session.announced_to_peer.contains(txid)) continue;
        announcements.note(txid, traces.at(session.id).network_group);
    }
    if (listening_until) request_transactions(session, announced);
    return {};
}

Outcome SyncEngine::State::on_transaction(PeerSession& session, Tx message, Now now) {
    const chain::Txid txid = message.transaction.txid();
    session.settle_due_transaction();
    if (session.blocks.expects(txid)) {
        auto delivery = session.blocks.on_transaction(std::move(message.transaction), txid);
        return on_delivery(session, std::move(delivery), now);
    }
    // What nobody asked for is nobody's: a peer may not choose what the wallet looks at.
    if (session.requested.erase(txid) == 0) return {};
    return on_unconfirmed(session, std::move(message.transaction), txid, now);
}

// Nothing proves that it will ever be in a block; when it is, it is found there. What takes its
// place in a block shows by its inputs. The watcher is not told here but by the timer, of whatever
// came by then: the time that a message takes must not depend on whether it concerns the watcher.
Outcome SyncEngine::State::on_unconfirmed(PeerSession& session, chain::Transaction transaction,
                                          const chain::Txid& txid, Now now) {
    ++status.transactions;
    session.blocks.on_unconfirmed(transaction, txid);
    const TxSource source{traces.at(session.id).network_group, now.unix_seconds};
    const bool is_first = !scan.has_unstored();
    const auto verdict = scan.on_unconfirmed(std::move(transaction), txid, source);
    // It was asked for with its witnesses, where the peer has them.
    if (verdict.fault && (verdict.fault->is_proven || session.serves_witnesses())) {
        return Unexpected(Violation{DisconnectReason::invalid_transaction,
                                    txid.to_hex() + ", " + verdict.fault->what});
    }
    if (!verdict.is_tracked) return {};
    cached_watch_index.reset();
    // Drawn at random: the sender must not know when to measure how long storing takes.
    const std::uint32_t known = last_block_of(session);
    unconfirmed_seen_at = is_first ? known : std::min(unconfirmed_seen_at, known);
    if (is_first) {
        const auto half = kHoldTime / 2;
        const auto more = random.next() % static_cast<std::uint64_t>(half.count());
        store_unconfirmed_at =
            now.steady + half + milliseconds{static_cast<milliseconds::rep>(more)};
    }
    ask_again_for_unjudged();
    return {};
}

void SyncEngine::State::request_transactions(PeerSession& session,
                                             const std::vector<chain::Txid>& txids) {
    // With its witness, without which its signatures can't be judged, nor can it be announced
    // again.
    const auto type = session.serves_witnesses() ? InventoryType::witness_tx : InventoryType::tx;
    GetData wanted;
    for (const chain::Txid& txid : txids) {
        if (session.requested.size() >= txids_of_each()) break;
        if (!session.requested.insert(txid).second) continue;
        wanted.entries.push_back({type, chain::Hash256{txid.bytes}});
    }
    session.transactions_due += wanted.entries.size();
    if (!wanted.entries.empty()) send(session, std::move(wanted));
}

void SyncEngine::State::ask_again_for_unjudged() {
    for (const chain::Txid& txid : scan.take_unjudged()) {
        for (auto& [peer, session] : sessions) {
            if (session.announced_by_peer.contains(txid)) request_transactions(session, {txid});
        }
    }
}

Outcome SyncEngine::State::on_not_found(PeerSession& session, const NotFound& message, Now now) {
    for (const Inventory& entry : message.entries) {
        if (session.requested.erase(chain::Txid{entry.hash.bytes}) == 0) continue;
        session.settle_due_transaction();
    }
    return on_passed_over(session, session.blocks.on_not_found(message), now);
}

Outcome SyncEngine::State::on_delivery(PeerSession& session,
                                       chain::Expected<std::optional<Delivery>, Violation> delivery,
                                       Now now) {
    if (!delivery) return Unexpected(delivery.error());
    if (!*delivery) return {};
    session.pace.on_answered(session.blocks.in_flight(), now.steady);
    session.served_at = now.steady;
    session.sign_of_life_due.reset();  // it is there, and gets to the ping when it has served this
    const auto& block = (*delivery)->block;
    session.crawl.on_block(options.full_blocks ? block.transaction_count
                                               : block.transactions.size());
    ++report(session.id).blocks;
    ++(options.full_blocks ? status.full_blocks : status.filtered_blocks);
    // What one that was given up puts into the peer's filter, only the mirror needs to know.
    if (!(*delivery)->wanted) return {};
    if ((*delivery)->purpose == BlockPurpose::second_opinion) {
        return on_second_opinion(session, **std::move(delivery));
    }
    accept(session, **std::move(delivery), now);
    return {};
}

void SyncEngine::State::accept(PeerSession& session, Delivery delivery, Now now) {
    const std::uint32_t height = delivery.block.block.height;
    status.transactions += delivery.block.transactions.size();
    traces[session.id].served.add(height);
    // Answers hold on to filters, so none is kept that nobody will be asked about.
    const bool has_others = options.expected_peers > 1 || sessions.size() > 1;
    if (has_others && cross_check.chooses(height)) {
        cross_check.add({session.id, delivery.filter, delivery.block});
    }
    // A full block is searched for all that is known when it comes, a filtered one for what the
    // filter knew.
    if (options.full_blocks) delivery.asked_at = scan.memory().coverage.mark();
    const HeightRanges covered = covered_by(session, delivery);
    const Scan::Arrival arrival = scan.deliver(std::move(delivery), covered);
    if (!held_since && scan.ready_blocks() > 0) held_since = now.steady;
    if (arrival.owed_twice) {
        for (auto& [peer, other] : sessions) other.blocks.discard(height);
    }
    tell_others(session, arrival.found);
    ask_again_for_unjudged();
}

// The open blocks that will be searched for what this one brought.
HeightRanges SyncEngine::State::covered_by(const PeerSession& session,
                                           const Delivery& delivery) const {
    if (delivery.inserted.empty()) return {};
    if (options.full_blocks) return scan.schedule().open_heights();
    return session.blocks.covered_by_last();
}

// The server that found it has added it by itself, unless a new filter is on its way to it.
void SyncEngine::State::tell_others(const PeerSession& finder,
                                    const std::vector<chain::Outpoint>& found) {
    add_to_filters(found, finder.blocks.was_filter_in_use() ? &finder : nullptr);
}

// That they come tells nothing: they come for all that matches, false ones too.
void SyncEngine::State::add_to_filters(const std::vector<chain::Outpoint>& outpoints,
                                       const PeerSession* has_them) {
    for (auto& [peer, session] : sessions) {
        if (&session == has_them || session.blocks.mirror() == nullptr) continue;
        for (const chain::Outpoint& outpoint : outpoints) {
            send(session, session.blocks.add_to_filter(outpoint));
        }
    }
}

Outcome SyncEngine::State::on_second_opinion(PeerSession& session, Delivery delivery) {
    if (!cross_check.awaits(session.id, delivery.block.block.height)) return {};
    const std::string block = delivery.block.block.hash.to_hex();
    const auto verdict = cross_check.compare({session.id, delivery.filter, delivery.block});
    if (verdict.has_more) {
        const HeightRanges covered = covered_by(session, delivery);
        tell_others(session, scan.deliver_more(std::move(delivery), covered));
    }
    Outcome outcome;
    for (const PeerId omitter : verdict.omitters) {
        PeerTrace& trace = traces[omitter];
        if (std::exchange(trace.caught, true)) continue;
        scan.distrust(trace.served);
        const Violation violation{DisconnectReason::left_out, "of block " + block};
        const auto found = sessions.find(omitter);
        if (omitter == session.id) {
            outcome = Unexpected(violation);
        } else if (found != sessions.end()) {
            drop(found->second, violation);
        } else if (PeerReport* gone = find_report(status, omitter)) {
            ++gone->misbehaviour;
        }
    }
    // Stored at once: another process must not take for covered what is in doubt.
    if (!verdict.omitters.empty()) apply_held();
    return outcome;
}

// A second opinion from where the first came from may be worth nothing.
bool SyncEngine::State::may_cross_check(const PeerSession& session, PeerId first) const {
    const chain::Bytes& group = traces.at(first).network_group;
    if (session.id == first || !session.is_ready()) return false;
    if (traces.at(session.id).network_group != group) return true;
    return std::none_of(sessions.begin(), sessions.end(), [&](const auto& entry) {
        return entry.second.is_ready() && traces.at(entry.first).network_group != group;
    });
}

bool SyncEngine::State::can_ask_about(PeerId first, std::uint32_t height) const {
    return std::any_of(sessions.begin(), sessions.end(), [&](const auto& entry) {
        const PeerSession& session = entry.second;
        const bool is_silent = session.blocks.in_flight() > 0 &&
                               last_time >= session.served_at + CrossCheck::kPatience;
        return may_cross_check(session, first) && height <= last_block_of(session) && !is_silent;
    });
}

}  // namespace petal::net
