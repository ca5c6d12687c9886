#include "client/data/filter_hosts.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "chain/bytes.h"
#include "chain/files/file_lock.h"
#include "chain/files/regular_file.h"
#include "chain/storage/private_files.h"
#include "net/io/dial/endpoint.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/wire/host_key.h"

namespace petal::client {
namespace {

constexpr std::size_t kMaxHostBytes = 255;
constexpr const char* kSuffix = ".filter-hosts";

std::filesystem::path hosts_file(std::filesystem::path wallet_file) {
    return wallet_file += kSuffix;
}

/// In place of a wallet's file, for all deleted wallets of its folder.
std::filesystem::path deleted(const std::filesystem::path& wallet_file) {
    return wallet_file.parent_path() / "deleted";
}

/// One text for all names and ports of a host.
std::string host_of(const std::string& node) {
    const auto endpoint = net::parse_endpoint(node, 1);
    if (!endpoint) return node;
    const auto address = net::address_of(*endpoint);
    return address ? chain::to_hex(net::host_key(*address)) : endpoint->host;
}

}  // namespace

FilterHosts::FilterHosts(const std::filesystem::path& wallet_file)
    : file_(hosts_file(wallet_file)) {
    std::string text;
    try {
        text = chain::read_regular_file(file_, kMost * (kMaxHostBytes + 1));
    } catch (const std::system_error& error) {
        const bool is_none = error.code() == std::errc::no_such_file_or_directory ||
                             error.code() == std::errc::not_a_directory;
        if (!is_none) unread_ = error.code();
        return;
    }
    for (std::size_t start = 0; start < text.size() && hosts_.size() < kMost;) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        if (end > start && end - start <= kMaxHostBytes) {
            hosts_.push_back(text.substr(start, end - start));
        }
        start = end + 1;
    }
}

FilterHosts FilterHosts::unlisted(const std::error_code& error) {
    FilterHosts result;
    result.unread_ = error;
    return result;
}

bool FilterHosts::contains(const std::string& node) const {
    return std::ranges::find(hosts_, host_of(node)) != hosts_.end();
}

void FilterHosts::add(const std::string& node) {
    const bool is_new = insert(host_of(node));
    if (!is_new && is_written_) return;
    is_written_ = false;
    try {
        write();
        is_written_ = true;
    } catch (const std::system_error&) {
        if (is_new) throw;
    }
}

void FilterHosts::add_all(const FilterHosts& others) {
    others.require_read();
    bool any_new = false;
    for (const std::string& host : others.hosts_) any_new |= insert(host);
    if (any_new) write();
}

bool FilterHosts::insert(std::string host) {
    if (std::ranges::find(hosts_, host) != hosts_.end()) return false;
    hosts_.push_back(std::move(host));
    if (hosts_.size() > kMost) hosts_.pop_front();
    return true;
}

void FilterHosts::write() const {
    require_read();
    std::string text;
    for (const std::string& host : hosts_) text += host + '\n';
    chain::replace_private_file(file_, text);
}

void FilterHosts::require_read() const {
    if (!unread_) return;
    const bool is_no_file =
        unread_ == chain::not_regular_file() || unread_ == std::errc::too_many_symbolic_link_levels;
    throw std::system_error(
        unread_,
        (is_no_file ? "not a regular file; move it away: " : "cannot read ") + file_.string());
}

std::vector<FilterHosts> all_filter_hosts(const std::filesystem::path& wallet_file) {
    std::vector<FilterHosts> result{FilterHosts(wallet_file), FilterHosts(deleted(wallet_file))};
    std::error_code error;
    std::filesystem::directory_iterator entry(wallet_file.parent_path(), error);
    for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
        std::filesystem::path file = entry->path();
        if (file.extension() != kSuffix) continue;
        file.replace_extension();
        if (file != wallet_file && file != deleted(wallet_file)) result.emplace_back(file);
    }
    if (error && error != std::errc::no_such_file_or_directory) {
        result.push_back(FilterHosts::unlisted(error));
    }
    return result;
}

void copy_filter_hosts(const std::filesystem::path& wallet_file,
                       const std::filesystem::path& new_wallet_file) {
    const FilterHosts known(wallet_file);
    FilterHosts copy(new_wallet_file);
    copy.add_all(known);
}

// Other processes may delete wallets at the same time. Each reads the file, and replaces it.
void keep_filter_hosts(const std::filesystem::path& wallet_file) {
    constexpr std::chrono::milliseconds kLookInterval{10};
    constexpr std::chrono::seconds kPatience{5};
    std::error_code ignored;
    const auto status = std::filesystem::symlink_status(hosts_file(wallet_file), ignored);
    if (status.type() == std::filesystem::file_type::not_found) return;
    const auto lock_file = hosts_file(deleted(wallet_file)).string() + ".lock";
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
        const auto lock = chain::FileLock::acquire(lock_file, chain::FileLock::Mode::exclusive);
        if (lock) return copy_filter_hosts(wallet_file, deleted(wallet_file));
        if (std::chrono::steady_clock::now() >= until) {
            throw std::system_error(EBUSY, std::generic_category(), lock_file);
        }
        std::this_thread::sleep_for(kLookInterval);
    }
}

void remove_filter_hosts(const std::filesystem::path& wallet_file) {
    std::error_code ignored;
    std::filesystem::remove(hosts_file(wallet_file), ignored);
    std::filesystem::remove(hosts_file(wallet_file).string() + ".new", ignored);
}

}  // namespace petal::client
