/// The hosts that have got a wallet's filter, in a file beside the wallet's.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace petal::client {

/// The hosts that have got the wallet's filter in this sync or an earlier one, at most the last
/// thousand. A host with the filter that receives a transaction first from this machine can tell
/// that the transaction is the wallet's.
class FilterHosts {
public:
    static constexpr std::size_t kMost = 1'000;

    /// Reads the file. One that is not there, or whose text is not understood, names no host.
    explicit FilterHosts(const std::filesystem::path& wallet_file);
    /// In place of files of a folder that cannot be listed: is_unread().
    static FilterHosts unlisted(const std::error_code& error);

    /// Whether the file could not be read: then contains() knows only hosts that were added since,
    /// and nothing replaces the file.
    bool is_unread() const { return bool{unread_}; }

    /// node   as in PeerIdentity: an IP address or a name, with a port. Ports of one host make no
    ///        difference, nor do IPv6 addresses of one /64
    bool contains(const std::string& node) const;
    /// Adds the node's host and writes the file, if the host is new: for the process that holds the
    /// wallet's sync lock. Throws std::system_error for a new host if the file could not be read,
    /// or can't be written. The next call tries to write it again.
    void add(const std::string& node);
    /// Adds the hosts of another file, and writes this one if any is new. Throws std::system_error,
    /// also if the other file could not be read.
    void add_all(const FilterHosts& others);

private:
    FilterHosts() = default;
    /// Returns whether the host is new.
    bool insert(std::string host);
    void write() const;
    void require_read() const;

    std::filesystem::path file_;
    std::deque<std::string> hosts_;  // the newest last
    bool is_written_ = true;
    std::error_code unread_;
};

/// The hosts of all wallets in the folder: a transaction may belong to any of the wallets, and
/// several wallets may watch the same address. If the folder can't be listed, only the files of
/// this wallet and of deleted wallets are read.
std::vector<FilterHosts> all_filter_hosts(const std::filesystem::path& wallet_file);

/// For Wallet::rename(): adds the hosts of the old name to the file of the new name. The old file
/// stays, so that no host is forgotten if the renaming is interrupted. Throws std::system_error.
void copy_filter_hosts(const std::filesystem::path& wallet_file,
                       const std::filesystem::path& new_wallet_file);
/// For a wallet that is being deleted: copies its hosts to the folder's file for deleted wallets,
/// because the wallet may be restored from its words. Waits up to five seconds for a process that
/// does the same. Throws std::system_error.
void keep_filter_hosts(const std::filesystem::path& wallet_file);
/// For a wallet that was removed.
void remove_filter_hosts(const std::filesystem::path& wallet_file);

}  // namespace petal::client
