#include "cli/sync/text/peer_file_text.h"

#include "net/io/search/peer_store.h"

namespace petal::cli {

std::string damaged_peers_text(const std::filesystem::path& peer_file) {
    return "the list of known peers was damaged, and with it the bans; it is kept as " +
           net::PeerStore::damaged_copy_of(peer_file).string();
}

client::PeerSource::OnTrouble peer_file_warnings(Console& console) {
    return [&console](const client::PeerFileTrouble& trouble) {
        switch (trouble.kind) {
            using enum client::PeerFileTrouble::Kind;
            case damaged:
                return console.warn(damaged_peers_text(trouble.file) + "; petal finds peers anew");
            case unreadable:
                return console.warn("known peers can't be read: " + trouble.reason);
            case unwritable:
                return console.warn("known peers can't be saved: " + trouble.reason);
        }
    };
}

}  // namespace petal::cli
