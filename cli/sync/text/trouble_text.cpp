#include "cli/sync/text/trouble_text.h"

#include "cli/text/text.h"

namespace petal::cli {

std::string trouble_sentence(const client::SyncStanding& standing) {
    constexpr std::size_t kMaxFailures = 1'000;
    using enum client::SyncTrouble;
    switch (standing.trouble) {
        case none:
            break;
        case no_peer:
            if (standing.failures.empty()) return "has no peer";
            return "has no peer (" + printable(standing.failures, kMaxFailures) + ")";
        case other_chain:
            return "has no peer with the stored chain: its peers' chain forks off after block " +
                   format_count(standing.fork_height);
        case shorter_chain:
            return "has no peer with all blocks of the stored chain";
        case stalled:
            return "waits for " + std::string(describe(standing.stall_reason));
        case suspended:
            return "is suspended or hangs";
    }
    return {};
}

}  // namespace petal::cli
