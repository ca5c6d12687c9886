#include "regtest/front/config_text.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace petal::regtest::front {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Reads lines one after another.
class ConfigReader {
public:
    /// Takes a line without its end. Returns what is wrong with the line.
    std::optional<std::string> take(std::string_view line) {
        ++number_;
        if (line.find('\0') != line.npos) return wrong("a NUL byte");
        const auto comment = line.find('#');
        const bool has_comment = comment != line.npos;
        const std::string_view text = trimmed(line.substr(0, comment));
        if (text.empty()) return std::nullopt;
        if (text.front() == '[' && text.back() == ']') {
            section_ = text.substr(1, text.size() - 2);
            note_section(section_);
            return std::nullopt;
        }
        if (text.front() == '-') {
            return wrong(std::string(text) +
                         ", options in configuration file must be specified without leading -");
        }
        const auto equals = text.find('=');
        if (equals == text.npos) {
            const bool is_negated = text.size() > 2 && text.starts_with("no");
            return wrong(std::string(text) +
                         (is_negated ? ", if you intended to specify a negated option, use " +
                                           std::string(text) + "=1 instead"
                                     : ""));
        }
        return add(trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)), has_comment);
    }

    ConfigText result() { return std::move(config_); }

private:
    std::string wrong(const std::string& what) const {
        return "parse error on line " + std::to_string(number_) + ": " + what;
    }

    std::optional<std::string> add(std::string_view name, std::string_view value,
                                   bool has_comment) {
        if (has_comment && name.find("rpcpassword") != name.npos) {
            return "parse error on line " + std::to_string(number_) +
                   ", using # in rpcpassword can be ambiguous and should be avoided";
        }
        std::string section = section_;
        // Below a section, a dot belongs to the name, which is then unknown.
        const auto dot = name.find('.');
        if (section.empty() && dot != name.npos) {
            section = name.substr(0, dot);
            name.remove_prefix(dot + 1);
            note_section(section);
        }
        config_.lines.push_back(
            {std::move(section), std::string(name), std::string(value), number_});
        return std::nullopt;
    }

    void note_section(const std::string& name) {
        const bool is_known =
            std::ranges::find(config_.sections, name, &ConfigText::Section::name) !=
            config_.sections.end();
        if (!is_known) config_.sections.push_back({name, number_});
    }

    ConfigText config_;
    std::string section_;
    std::size_t number_ = 0;
};

}  // namespace

chain::Expected<ConfigText, std::string> parse_config(std::string_view text) {
    if (text.size() > kMaxConfigBytes) {
        return chain::Unexpected(std::string("the file is larger than 1,000,000 bytes"));
    }
    ConfigReader reader;
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (auto fault = reader.take(text.substr(0, end))) {
            return chain::Unexpected(*std::move(fault));
        }
        text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    }
    return reader.result();
}

}  // namespace petal::regtest::front
