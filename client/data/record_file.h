/// Small files of a few named values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace petal::client {

/// The members of a JSON object that are integers, truth values or texts.
class Record {
public:
    /// Reads a file. Without members if the file is missing, no regular file, larger, or no JSON
    /// object. Members with other values are left out: a number may be beyond 64 bits.
    static Record read(const std::filesystem::path& file, std::size_t max_bytes);
    /// Replaces a file, atomically, and for its owner only. Throws std::system_error.
    void write(const std::filesystem::path& file) const;

    std::optional<std::int64_t> integer(const std::string& name) const;
    std::optional<bool> truth(const std::string& name) const;
    std::optional<std::string> text(const std::string& name) const;

    void set(const std::string& name, std::int64_t value) { members_[name] = value; }
    void set(const std::string& name, bool value) { members_[name] = value; }
    void set(const std::string& name, std::string value) { members_[name] = std::move(value); }

private:
    using Value = std::variant<std::int64_t, bool, std::string>;

    template <typename T>
    std::optional<T> find(const std::string& name) const;

    std::map<std::string, Value> members_;
};

}  // namespace petal::client
