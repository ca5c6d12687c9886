/// Where a command's peers come from.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"
#include "net/io/broadcast.h"
#include "net/io/peer_search.h"
#include "net/io/peer_store.h"
#include "net/io/spv_client.h"

namespace petal::cli {

/// Those that the user names, or those that the network's address book, its seeds and the peers
/// themselves tell of. The book is kept up to date on disk; where its file can't be used, a warning
/// says so, and it is lost at the end: nothing else fails for it. On regtest, where nobody lists
/// nodes and the book is empty, the one place where a node usually is.
class PeerSource {
public:
    PeerSource(const ConnectionOptions& options, const GlobalOptions& global, Console& console);

    /// Whether peers are found, not named.
    bool searches() const { return search_.has_value(); }
    /// How many there will be at once, at most.
    std::size_t expected() const;
    /// Sets what the client is to know of peers; it calls save() as long as it runs.
    void apply(net::SpvOptions& client);
    /// The same for a broadcast, but save() is for the caller to call.
    void apply(net::BroadcastRoute& route);
    /// Writes the book to disk, where there is one.
    void save();

private:
    void open_book();

    const ConnectionOptions& options_;
    const GlobalOptions& global_;
    Console& console_;
    std::vector<net::Endpoint> named_;
    std::optional<net::PeerStore> store_;
    std::optional<net::AddressBook> book_;
    std::optional<net::PeerSearch> search_;
};

/// The options of the network's address books, without the key that the store has.
net::AddressBookOptions book_options(const GlobalOptions& global);

}  // namespace petal::cli
