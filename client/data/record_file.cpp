#include "client/data/record_file.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "chain/files/regular_file.h"
#include "chain/storage/private_files.h"

namespace petal::client {

Record Record::read(const std::filesystem::path& file, std::size_t max_bytes) {
    std::string text;
    try {
        text = chain::read_regular_file(file, max_bytes);
    } catch (const std::system_error&) {
        return {};
    }
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    Record record;
    if (!json.is_object()) return record;
    for (const auto& [name, value] : json.items()) {
        if (value.is_boolean()) record.set(name, value.get<bool>());
        const bool fits =
            !value.is_number_unsigned() || std::in_range<std::int64_t>(value.get<std::uint64_t>());
        if (value.is_number_integer() && fits) record.set(name, value.get<std::int64_t>());
        if (value.is_string()) record.set(name, value.get<std::string>());
    }
    return record;
}

void Record::write(const std::filesystem::path& file) const {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, value] : members_) {
        std::visit([&json, &key = name](const auto& plain) { json[key] = plain; }, value);
    }
    // A text may come from a peer, and the file may be shown on a terminal.
    const std::string line =
        json.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
    chain::replace_private_file(file, line + '\n');
}

template <typename T>
std::optional<T> Record::find(const std::string& name) const {
    const auto found = members_.find(name);
    if (found == members_.end()) return std::nullopt;
    const T* const value = std::get_if<T>(&found->second);
    return value == nullptr ? std::nullopt : std::optional<T>(*value);
}

std::optional<std::int64_t> Record::integer(const std::string& name) const {
    return find<std::int64_t>(name);
}

std::optional<bool> Record::truth(const std::string& name) const {
    return find<bool>(name);
}

std::optional<std::string> Record::text(const std::string& name) const {
    return find<std::string>(name);
}

}  // namespace petal::client
