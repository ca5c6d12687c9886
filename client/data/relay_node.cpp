#include "client/data/relay_node.h"

#include <cstddef>
#include <system_error>

#include "client/data/record_file.h"

namespace petal::client {
namespace {

constexpr std::size_t kMaxFileBytes = 1'000;
constexpr const char* kNode = "node";

std::filesystem::path file_of(std::filesystem::path wallet_file) {
    return wallet_file += ".relay-node";
}

}  // namespace

std::optional<std::string> read_relay_node(const std::filesystem::path& wallet_file) {
    return Record::read(file_of(wallet_file), kMaxFileBytes).text(kNode);
}

void store_relay_node(const std::filesystem::path& wallet_file, const std::string& node) {
    if (read_relay_node(wallet_file) == node) return;
    Record record;
    record.set(kNode, node);
    record.write(file_of(wallet_file));
}

void copy_relay_node(const std::filesystem::path& wallet_file,
                     const std::filesystem::path& new_wallet_file) {
    if (const auto node = read_relay_node(wallet_file)) store_relay_node(new_wallet_file, *node);
}

void remove_relay_node(const std::filesystem::path& wallet_file) {
    std::error_code ignored;
    std::filesystem::remove(file_of(wallet_file), ignored);
    std::filesystem::remove(file_of(wallet_file).string() + ".new", ignored);
}

}  // namespace petal::client
