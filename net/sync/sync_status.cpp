#include "net/sync/sync_status.h"

namespace petal::net {

std::string_view code_of(SyncPhase phase) {
    switch (phase) {
        case SyncPhase::no_peer: return "no-peer";
        case SyncPhase::handshake: return "handshake";
        case SyncPhase::headers: return "headers";
        case SyncPhase::blocks: return "blocks";
        case SyncPhase::listening: return "listening";
        case SyncPhase::done: return "done";
    }
    return "unknown";
}

}  // namespace petal::net
