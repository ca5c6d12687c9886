#include "cli/options/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <set>
#include <sstream>
#include <system_error>

#include "cli/options/access_check.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"
#include "wallet/keys/secret_text.h"

namespace petal::cli {
namespace {

constexpr std::size_t kMaxConfigBytes = 1'000'000;
/// Each dot may nest a table (`a.b.c = 1`), and toml++ destroys nested tables recursively. A stack
/// of 8 MB suffices for 30,000 levels in Debian's library, and for 6,700 levels if clang compiles
/// toml++ with AddressSanitizer. toml++ itself bounds brackets and braces.
constexpr std::ptrdiff_t kMaxConfigDots = 4'000;

/// Whether the option consents to a risk of one command. A lasting consent would be none.
bool is_consent(std::string_view name) {
    constexpr std::array kConsents{"yes", "accept-fee", "accept-unproven-fee",
                                   "allow-unsafe-files"};
    return std::ranges::find(kConsents, name) != kConsents.end();
}

/// Whether an option may be set in the file, not only on the command line.
bool is_settable(const CLI::Option* option) {
    return option->nonpositional() && !option->check_lname("help") &&
           !option->check_lname("version") && !option->check_lname("config") &&
           std::ranges::none_of(option->get_lnames(), is_consent);
}

/// Whether the option only chooses what a command shows, and how.
bool is_harmless(const std::string& name) {
    constexpr std::array kHarmless{"network", "signet-challenge", "wallet", "json", "verbose",
                                   "quiet",   "log-level"};
    return std::ranges::find(kHarmless, name) != kHarmless.end();
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// The shortest text without an exponent that reads back as the same number: amounts and whole
/// numbers have no exponent, and an amount must not be rounded.
std::string text_of_float(double number) {
    std::array<char, 512> text;  // the longest have some 330 characters
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    return {text.data(), end.ptr};
}

class ConfigReader {
public:
    ConfigReader(CLI::App& root, const std::filesystem::path& file,
                 const std::optional<chain::Distrust>& distrust)
        : root_(root), file_(printable(file.string())), distrust_(distrust) {}

    void apply(const toml::table& table) {
        for (const auto& [key, value] : table) {
            const std::string name = option_name(key.str());
            if (const toml::table* section = value.as_table()) {
                apply_section(name, *section, value);
                continue;
            }
            refuse_consent(name, value);
            bool known = apply_to(root_, name, value);
            for (CLI::App* command : commands_of(root_)) {
                known = apply_deep(*command, name, value) || known;
            }
            if (!known) refuse_unknown(root_, name, value);
        }
    }

private:
    static std::string option_name(std::string_view key) {
        std::string name(key);
        std::replace(name.begin(), name.end(), '_', '-');
        return name;
    }

    void apply_section(const std::string& name, const toml::table& section,
                       const toml::node& where) {
        for (CLI::App* command : commands_of(root_)) {
            if (command->get_name() != name) continue;
            for (const auto& [key, value] : section) {
                const std::string option = option_name(key.str());
                refuse_consent(option, value);
                if (!apply_deep(*command, option, value)) refuse_unknown(*command, option, value);
            }
            return;
        }
        throw error_at(where, "there is no command " + printable(name));
    }

    /// Applies it to the command and its subcommands. Returns whether any of them has the option.
    bool apply_deep(CLI::App& command, const std::string& name, const toml::node& value) {
        bool known = apply_to(command, name, value);
        for (CLI::App* below : commands_of(command)) known = apply_to(*below, name, value) || known;
        return known;
    }

    /// Whether the command has the option. The option is set only if the command was called.
    bool apply_to(CLI::App& command, const std::string& name, const toml::node& value) {
        CLI::Option* option = command.get_option_no_throw("--" + name);
        if (option == nullptr || !is_settable(option)) return false;
        if (option->count() > 0 || !was_called(command)) return true;
        if (distrust_ && !is_harmless(name)) {
            throw CommandError(ExitStatus::failed, "unsafe-files",
                               describe(*distrust_) + ", and it sets " + printable(name, 60) +
                                   "; " + kAllowUnsafeFiles + " obeys it all the same");
        }
        if (is_overridden(*option, name, value)) return true;
        const bool in_hex = option->get_type_name() == "HEX";
        for (std::string& text : texts_of(value, in_hex)) option->add_result(std::move(text));
        try {
            option->run_callback();
        } catch (const CLI::Error& error) {
            throw error_at(value, error.what());
        }
        return true;
    }

    /// Whether the command line or the environment has set an option that excludes this one. An
    /// error if the file itself has set such an option. `false` excludes nothing.
    bool is_overridden(const CLI::Option& option, const std::string& name,
                       const toml::node& value) {
        const toml::value<bool>* const flag = value.as_boolean();
        if (flag != nullptr && !flag->get()) return false;
        for (const CLI::Option* other : option.get_excludes()) {
            const bool is_of_file = set_by_file_.contains(other);
            if (is_of_file) {
                throw error_at(value, printable(name, 60) + " excludes " + other->get_name());
            }
            if (other->count() > 0 && !has_only_false(*other)) return true;
        }
        set_by_file_.insert(&option);
        return false;
    }

    /// Whether it is a flag that is set to false.
    static bool has_only_false(const CLI::Option& option) {
        const std::vector<std::string>& results = option.results();
        return option.get_items_expected_max() == 0 && !results.empty() &&
               results.back() == "false";
    }

    bool was_called(const CLI::App& command) const {
        return &command == &root_ || command.parsed();
    }

    std::vector<std::string> texts_of(const toml::node& value, bool in_hex) const {
        std::vector<std::string> texts;
        if (const toml::array* array = value.as_array()) {
            // CLI11 reads the first value of an option without asking whether there is one.
            if (array->empty()) throw error_at(value, "the list is empty");
            for (const toml::node& item : *array) texts.push_back(text_of(item, in_hex));
        } else {
            texts.push_back(text_of(value, in_hex));
        }
        return texts;
    }

    /// in_hex   the option reads hexadecimal, which TOML's 0x10 must not reach as the text 16
    std::string text_of(const toml::node& value, bool in_hex) const {
        if (const auto* text = value.as_string()) {
            // An argument cannot have one, and in a path it would hide what follows.
            if (text->get().find('\0') == std::string::npos) return text->get();
            throw error_at(value, "the text has a zero byte");
        }
        if (const auto* flag = value.as_boolean()) return flag->get() ? "true" : "false";
        if (const auto* number = value.as_floating_point()) return text_of_float(number->get());
        const auto* number = value.as_integer();
        if (in_hex && number && number->flags() == toml::value_flags::format_as_hexadecimal) {
            std::ostringstream text;
            text << "0x" << std::hex << number->get();
            return text.str();
        }
        if (value.is_integer() || value.is_date()) {
            std::ostringstream text;
            value.visit([&text](const auto& any) {
                using Node = std::remove_cvref_t<decltype(any)>;
                if constexpr (toml::is_value<Node>) text << any.get();
            });
            return text.str();
        }
        throw error_at(value,
                       "the value is neither text, a number, true, false nor a list of them");
    }

    void refuse_consent(const std::string& name, const toml::node& value) const {
        if (!is_consent(name)) return;
        throw error_at(value, name + " counts for one command only: remove it here, and give --" +
                                  name + " on the command line");
    }

    [[noreturn]] void refuse_unknown(CLI::App& app, const std::string& name,
                                     const toml::node& value) const {
        std::vector<std::string> known;
        const auto collect = [&known](const CLI::App& from) {
            for (const CLI::Option* option : from.get_options(is_settable)) {
                for (const std::string& word : option->get_lnames()) known.push_back(word);
            }
        };
        collect(app);
        for (const CLI::App* command : commands_of(app)) collect(*command);
        // Sorted, so that the first of the closest names does not depend on the order of the
        // commands.
        std::ranges::sort(known);
        const std::string meant = closest_word(name, known);
        throw error_at(value, "there is no option " + printable(name) +
                                  (meant.empty() ? "" : "; did you mean " + meant + "?"));
    }

    CommandError error_at(const toml::node& where, const std::string& message) const {
        return usage_error(file_ + ":" + std::to_string(where.source().begin.line) + ": " +
                           message);
    }

    CLI::App& root_;
    std::string file_;
    const std::optional<chain::Distrust>& distrust_;
    std::set<const CLI::Option*> set_by_file_;  // and not to false
};

std::string read_text(const ConfigFile& file) {
    constexpr std::size_t kPiece = 65'536;
    const std::string name = printable(file.path.string());
    std::string text;
    while (text.size() <= kMaxConfigBytes) {
        const std::size_t start = text.size();
        text.resize(start + kPiece);
        const ssize_t count = ::read(file.opened.number(), text.data() + start, kPiece);
        const int error = errno;
        text.resize(start + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count == 0) break;
        if (count < 0 && error != EINTR) {
            throw usage_error("cannot read the config file " + name + ": " +
                              std::generic_category().message(error));
        }
    }
    if (text.size() > kMaxConfigBytes) throw usage_error(name + " is too large for a config file");
    auto decoded = text_of(text);
    if (!decoded) {
        throw usage_error(name + " is no config file: " + std::string(describe(decoded.error())));
    }
    text = *std::move(decoded);
    // A message may show a part of it, in which a secret is not recognised any more.
    if (wallet::find_secret(text)) {
        throw CommandError(ExitStatus::usage, "secret-argument",
                           name + " has a private key or a mnemonic, which no option takes");
    }
    if (std::ranges::count(text, '.') > kMaxConfigDots) {
        throw usage_error(name + " has too many dots for a config file");
    }
    return text;
}

ConfigFile open_as_config(const std::filesystem::path& path, int more_flags) {
    try {
        return {path, chain::FileDescriptor(path, O_RDONLY | more_flags)};
    } catch (const std::system_error& error) {
        throw usage_error("cannot read the config file " + printable(path.string()) + ": " +
                          error.code().message());
    }
}

}  // namespace

ConfigFile open_config_file(const std::filesystem::path& path) {
    return open_as_config(path, 0);
}

std::optional<ConfigFile> find_config_file(const std::filesystem::path& data_dir) {
    if (data_dir.empty()) return std::nullopt;
    std::filesystem::path file = data_dir / "petal.toml";
    std::error_code error;
    const auto entry = std::filesystem::symlink_status(file, error).type();
    // A command that needs nothing in an unreadable folder works without the config file.
    const bool is_there = entry != std::filesystem::file_type::not_found;
    if (!is_there || error == std::errc::permission_denied) return std::nullopt;
    // A FIFO there was not made for petal, and might never be written to. Opening a device, to
    // which a link may lead, can do harm.
    const auto irregular = usage_error(printable(file.string()) + " is not a regular file");
    const auto named = std::filesystem::status(file, error);
    if (std::filesystem::exists(named) && !std::filesystem::is_regular_file(named)) {
        throw irregular;
    }
    // Without the file, petal might connect where it forbids that.
    ConfigFile opened = open_as_config(file, O_NONBLOCK | O_NOCTTY);
    struct stat status {};
    const bool is_known = ::fstat(opened.opened.number(), &status) == 0;
    if (is_known && S_ISREG(status.st_mode)) return opened;
    throw irregular;
}

void apply_config_file(CLI::App& root, const ConfigFile& file,
                       const std::optional<chain::Distrust>& distrust) {
    const std::string text = read_text(file);
    toml::table table;
    try {
        table = toml::parse(text);
    } catch (const toml::parse_error& error) {
        throw usage_error(printable(file.path.string()) + ":" +
                          std::to_string(error.source().begin.line) + ": " +
                          printable(error.description()));
    }
    ConfigReader(root, file.path, distrust).apply(table);
}

}  // namespace petal::cli
