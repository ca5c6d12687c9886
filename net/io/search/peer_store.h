/// The address manager on disk: one SQLite file per network.
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

/// The machine failed (full disk, no write permission), or a newer petal wrote the file. A damaged
/// file is not an error, but is moved aside.
class PeerStoreError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An open file. Not thread-safe, but several processes may have the file open. The record of a
/// node is the one saved last by any process. Nodes that the user added or banned in any process
/// are kept.
class PeerStore {
public:
    static constexpr std::chrono::milliseconds kPatience{5'000};

    /// Opens the file. Creates the file and its folder if missing, readable only by the owner. A
    /// file without write permission is only read. A damaged file is renamed to damaged_copy_of(),
    /// which replaces an earlier copy, and a new file is created. Throws PeerStoreError.
    /// patience   how long to wait for another process's lock on the file, here and in save()
    explicit PeerStore(const std::filesystem::path& file,
                       std::chrono::milliseconds patience = kPatience);
    ~PeerStore();
    PeerStore(PeerStore&&) noexcept;
    PeerStore& operator=(PeerStore&&) = delete;

    /// Whether an existing file was damaged, and its content lost.
    bool was_rebuilt() const { return rebuilt_; }
    static std::filesystem::path damaged_copy_of(const std::filesystem::path& file);

    /// The stored address manager, with the stored key.
    /// options   without a key
    AddrMan load(AddrManOptions options) const;

    /// Writes the differences from the last load() or save(), in one transaction. Keeps changes
    /// that the user made meanwhile in another process. Throws PeerStoreError, after writing
    /// nothing.
    void save(const AddrMan& addrman);

    /// Ends the pauses of nodes whose outcome depends on the stored chain (is_by_stored_chain()),
    /// when that chain is dropped. Throws PeerStoreError, after changing nothing.
    void end_pauses_by_chain();

private:
    void open(const std::filesystem::path& file, std::chrono::milliseconds patience);
    void create();
    void upgrade();
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
