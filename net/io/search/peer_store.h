/// The address manager on disk: one SQLite file for each network.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "net/discovery/addrman.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's
class Database;
}

namespace petal::net {

/// The machine fails (a full disk, a folder without write permission), or a newer petal wrote the
/// file. A damaged file is not an error: it is put aside.
class PeerStoreError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An open file. Not thread-safe; several processes may have it open. The file keeps for each node
/// the record that a process saved last. A node that the user of any process added or banned stays
/// so.
class PeerStore {
public:
    static constexpr std::chrono::milliseconds kPatience{5'000};

    /// Creates the file if it does not exist, readable by its owner only, and its folder. A file
    /// that can't be written is only read. A file that can't be read as an address manager is
    /// renamed to damaged_copy_of() it, which replaces an earlier copy, and a new file is created.
    /// Throws PeerStoreError.
    /// patience   how long to wait for another process that has the file locked, here and in save()
    explicit PeerStore(const std::filesystem::path& file,
                       std::chrono::milliseconds patience = kPatience);
    ~PeerStore();
    PeerStore(PeerStore&&) noexcept;
    PeerStore& operator=(PeerStore&&) = delete;

    /// Whether an existing file was damaged, so that its content is lost.
    bool was_rebuilt() const { return rebuilt_; }
    static std::filesystem::path damaged_copy_of(const std::filesystem::path& file);

    /// The stored address manager, with the store's own key.
    /// options   without a key
    AddrMan load(AddrManOptions options) const;

    /// Writes the differences from the content that load() or save() last saw, in one transaction,
    /// and keeps changes that the user made meanwhile in another process. Throws PeerStoreError,
    /// and has then written nothing.
    void save(const AddrMan& addrman);

    /// Ends the pauses of nodes whose outcome depends on the stored chain (is_by_stored_chain()),
    /// because that chain is forgotten. Throws PeerStoreError, and has then changed nothing.
    void end_pauses_by_chain();

private:
    void open(const std::filesystem::path& file, std::chrono::milliseconds patience);
    void create();
    void read();
    void write_peers(const std::map<PeerAddress, KnownPeer>& peers);
    void write_anchors(const std::set<PeerAddress>& anchors);
    void write_bans(const std::map<PeerAddress, PeerBan>& bans);

    std::unique_ptr<SQLite::Database> database_;
    bool rebuilt_ = false;
    std::array<chain::Byte, 32> key_{};
    std::map<PeerAddress, KnownPeer> stored_peers_;
    std::map<PeerAddress, PeerBan> stored_bans_;
    std::set<PeerAddress> stored_anchors_;
};

}  // namespace petal::net
