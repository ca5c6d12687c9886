#include "cli/options/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/options/access_check.h"
#include "cli/options/config_file.h"
#include "cli/options/data_folder.h"
#include "cli/options/global_options.h"
#include "cli/options/help.h"
#include "cli/options/option_values.h"
#include "cli/options/other_words.h"
#include "cli/options/version.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

constexpr std::string_view kSignet = "signet";

constexpr const char* kRootFooter =
    "Try it:\n"
    "  petal demo\n\n"
    "Exit status: 0 done; 1 failed; 2 wrong usage; 3 no usable peer, or not "
    "synced in time; 4 wallet missing, locked or wrong password; 5 stored data "
    "damaged; 130 interrupted.";

/// Accepts Bitcoin Core's names of Core's first networks too.
std::string network_name(const std::string& name) {
    if (name == "main") return "mainnet";
    return name == "test" || name == "testnet" ? "testnet3" : name;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string meant = closest_word(word, candidates);
    return meant.empty() ? "" : "; did you mean " + meant + "?";
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : commands_below(app)) {
        names.push_back(command->get_name());
    }
    return names;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return printable(text, 400);
}

CommandError no_command(const std::string& word, const CLI::App& command) {
    const std::vector<std::string> names = command_names(command);
    const std::string meant = did_you_mean(word, names);
    const std::string name = full_name(command);
    const bool is_root = command.get_parent() == nullptr;
    const std::string answer = is_root ? answer_to_other_word(word) : std::string();
    if (!answer.empty()) {
        return usage_error("there is no command " + printable(word) + "; " + answer);
    }
    const std::string where = is_root ? "" : " in " + name;
    return usage_error("there is no command " + printable(word) + where +
                       (!meant.empty() ? meant
                        : is_root      ? "; petal --help lists them all"
                                       : "; there are " + comma_list(names)));
}

/// The option of the command, or the global option, that the word begins with. Null if there is no
/// such option.
const CLI::Option* find_option(const CLI::App& command, const std::string& word) {
    const bool is_long = word.starts_with("--");
    const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
        if (const CLI::Option* option = app->get_option_no_throw(name)) return option;
    }
    return nullptr;
}

/// Whether the word is an option of the command or a global option that takes the next word.
bool takes_value(const CLI::App& command, const std::string& word) {
    const CLI::Option* option = find_option(command, word);
    const bool is_whole =
        word.find('=') == word.npos && (word.starts_with("--") || word.size() == 2);
    return option != nullptr && is_whole && option->get_items_expected_max() > 0;
}

/// Refuses a wrong word in the place of a command. CLI11 would take a later word for the command.
void refuse_other_commands(const CLI::App& root, const std::vector<std::string>& arguments) {
    const CLI::App* command = &root;
    for (auto word = arguments.begin(); word != arguments.end(); ++word) {
        const auto below = commands_below(*command);
        if (*word == "--" || below.empty()) return;
        if (word->starts_with("-")) {
            if (find_option(*command, *word) == nullptr) return;  // may take the next word
            if (takes_value(*command, *word) && word + 1 != arguments.end()) ++word;
            continue;
        }
        const auto named = std::ranges::find(below, *word, &CLI::App::get_name);
        if (named == below.end()) throw no_command(*word, *command);
        command = *named;
    }
}

/// Bitcoin Core and Electrum have an option for each network, such as -regtest. Returns a hint at
/// petal's --network. Empty for any other word.
std::string network_hint(std::string_view option) {
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    const std::string name = network_name(std::string(option));
    return table_network(name) ? "; did you mean --network " + name + "?" : "";
}

// Marks a word behind `--` as a text.
constexpr char kTextMark = '\x1f';

void unmark(std::string& text) {
    if (text.starts_with(kTextMark)) text.erase(0, 1);
}

/// CLI11 allows `--` in some places only. So the words behind `--` are marked as texts, and each
/// argument of a command drops the mark. Returns whether there is a `--`.
bool mark_texts(std::vector<std::string>& words, const std::vector<CommandEntry>& commands) {
    const auto end = std::ranges::find(words, "--");
    if (end == words.end()) return false;
    for (auto word = end + 1; word != words.end(); ++word) word->insert(0, 1, kTextMark);
    words.erase(end);
    const auto drop_mark = [](std::string& text) -> std::string {
        unmark(text);
        return "";
    };
    for (const CommandEntry& command : commands) {
        for (CLI::Option* option : command.app->get_options()) {
            if (option->get_positional()) option->transform(CLI::Validator(drop_mark, "", ""));
        }
    }
    return true;
}

class CommandLineParser {
public:
    explicit CommandLineParser(AddCommands add_commands) {
        root_.name("petal");
        root_.set_help_flag("-h,--help", "show this, or a command's own help");
        root_.allow_extras();  // so that refuse_leftovers() names the extras
        root_.fallthrough();
        root_.require_subcommand(0, 1);
        root_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        add_global_options(root_, raw_);
        entries_ = add_commands(root_);
        root_.footer(kRootFooter);  // last, because commands inherit the footer
    }

    /// Parses the arguments. Returns the help or the version if requested, and a help if there is
    /// no command.
    std::optional<RequestedText> parse(std::vector<std::string> arguments,
                                       const HelpWidths& widths) {
        const bool wants_json = asks_for_json(arguments);
        named_ = arguments;
        words_to_options(arguments);
        refuse_other_commands(root_, arguments);
        const bool ends_options = mark_texts(arguments, entries_);
        std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
        try {
            root_.parse(arguments);
        } catch (const CLI::CallForHelp&) {
            refuse_unknown_command();
            refuse_texts_as_help();
            return RequestedText{help_text(innermost(), widths.out)};
        } catch (const CLI::CallForVersion& version) {
            if (wants_json) return RequestedText{to_line(version_json()) + "\n"};
            return RequestedText{std::string(version.what()) + "\n"};
        } catch (const CLI::RequiredError& error) {
            refuse_unknown_options(ends_options);
            throw missing_argument(error);
        } catch (const CLI::ParseError& error) {
            throw usage_error(one_line(in_plain_words(error)));
        }
        refuse_leftovers(ends_options);
        if (called() != nullptr) return std::nullopt;
        const CLI::App& command = innermost();
        if (!wants_json) {
            const bool is_root = &command == &root_;
            return RequestedText{
                is_root ? first_steps(root_, widths.err) : help_text(command, widths.err),
                ExitStatus::usage};
        }
        throw usage_error("which command? There are " + comma_list(command_names(command)) +
                          "; see " + full_name(command) + " --help");
    }

    /// Reads settings that the arguments do not give from the environment and the config file. The
    /// arguments must be parsed, and must not ask for a text.
    CommandLine read() {
        GlobalOptions global = read_global();
        const CommandEntry& entry = *called();
        global.names_network = names("--network");
        if (!global.wallets.empty() && !entry.takes_wallets) {
            throw usage_error("--wallet names several wallets, which only sync takes: " +
                              comma_list(global.wallets));
        }
        Action action = entry.read(global);
        return CommandLine{std::move(global), std::move(action), entry.folder_use,
                           std::move(unsafe_config_)};
    }

    CLI::App& root() { return root_; }

private:
    /// Many users first try `petal help sync`, `petal sync help` or `petal version`, also with
    /// options in front.
    void words_to_options(std::vector<std::string>& arguments) const {
        const CLI::App* command = &root_;
        for (auto word = arguments.begin(); word != arguments.end(); ++word) {
            if (*word == "--") return;
            if (word->starts_with("-")) {
                if (takes_value(*command, *word) && word + 1 != arguments.end()) ++word;
                continue;
            }
            const bool may_follow = command == &root_;  // the command
            if (*word == "help" && (may_follow || word + 1 == arguments.end())) {
                arguments.erase(word);
                arguments.emplace_back("--help");
                return;
            }
            if (*word == "version" && command == &root_) {
                *word = "--version";
                return;
            }
            const auto below = commands_below(*command);
            const auto named = std::ranges::find(below, *word, &CLI::App::get_name);
            if (named == below.end()) return;
            command = *named;
        }
    }

    CommandError missing_argument(const CLI::RequiredError& error) const {
        const CLI::App& command = innermost();
        const auto options = command.get_options();
        const auto missing = std::ranges::find_if(options, [](const CLI::Option* option) {
            return option->get_required() && option->count() == 0;
        });
        if (missing == options.end()) return usage_error(one_line(error.what()));
        const std::string name = full_name(command);
        const std::string& meaning = (*missing)->get_description();
        return usage_error(name + " needs " + argument_name(**missing) +
                           (meaning.empty() ? "" : ": " + meaning) + "; see " + name + " --help");
    }

    /// The innermost named command. The root if no command is named.
    const CLI::App& innermost() const {
        const CLI::App* app = &root_;
        while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
        return *app;
    }

    /// CLI11 gives the help before a wrong command is noticed, so wrong commands are refused first.
    void refuse_unknown_command() const {
        const std::vector<std::string> commands = command_names(innermost());
        for (const std::string& word : root_.remaining(/*recurse=*/true)) {
            if (commands.empty() || word.starts_with("-")) continue;
            throw no_command(word, innermost());
        }
    }

    /// CLI11 would read a text such as -hello as the options -h, -e and so on.
    void refuse_texts_as_help() const {
        const auto asks = [](std::string_view word) {
            return word == "-h" || word == "--help" || word == "help";
        };
        if (std::ranges::any_of(named_, asks)) return;
        for (const std::string& word : named_) {
            const bool is_text = word.size() > 2 && word[0] == '-' && word[1] != '-';
            const bool are_flags = word.find_first_not_of("vqh", 1) == std::string::npos;
            if (!is_text || are_flags || word.find('h') == std::string::npos) continue;
            throw usage_error("there is no option " + printable(word, 60) +
                              "; a text that begins with - goes behind --");
        }
    }

    /// ends_options   whether a `--` was among the arguments
    void refuse_unknown_options(bool ends_options) const {
        for (std::string& word : root_.remaining(/*recurse=*/true)) {
            unmark(word);
            const bool is_option = word.starts_with("-") && word != "--";
            if (is_option) throw unknown_option(innermost(), word, ends_options);
        }
    }

    /// ends_options   whether a `--` was among the arguments
    void refuse_leftovers(bool ends_options) const {
        std::vector<std::string> leftovers = root_.remaining(/*recurse=*/true);
        if (leftovers.empty()) return;
        const CLI::App& command = innermost();
        std::string& word = leftovers.front();
        unmark(word);
        if (word.starts_with("-") && word != "--") {
            throw unknown_option(command, word, ends_options);
        }
        if (&command == &root_ || !command_names(command).empty()) throw no_command(word, command);
        const std::string name = full_name(command);
        if (called()->takes_no_secrets) {
            throw usage_error(name + " takes no argument " + printable(word, 60) + "; see " + name +
                              " --help");
        }
        // The argument is not repeated, because the argument may be a password or a word of a
        // mnemonic.
        throw usage_error(name + " takes no such argument; " + likely_meant(command.get_name()) +
                          "see " + name + " --help");
    }

    CommandError unknown_option(const CLI::App& command, const std::string& word,
                                bool ends_options) const {
        const std::string name = word.substr(0, word.find('='));
        std::vector<std::string> known;
        for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
            for (const CLI::Option* option : app->get_options()) {
                for (const std::string& known_name : option->get_lnames()) {
                    if ("--" + known_name == name) {
                        return usage_error(name + " belongs after " + full_name(*app) +
                                           (ends_options ? " and before --" : ""));
                    }
                    known.push_back("--" + known_name);
                }
            }
        }
        std::string hint = network_hint(name);
        if (hint.empty()) hint = did_you_mean(name, known);
        if (hint.empty()) hint = "; " + full_name(command) + " --help lists the options";
        return usage_error("there is no option " + printable(name, 60) + hint);
    }

    /// The called command. Null if no command was called, or a command that only groups
    /// subcommands.
    const CommandEntry* called() const {
        const auto entry = std::ranges::find(entries_, &innermost(), &CommandEntry::app);
        return entry == entries_.end() ? nullptr : &*entry;
    }

    /// Whether an option is on the command line, not in the environment.
    bool names(std::string_view option) const {
        return std::ranges::any_of(named_, [&](std::string_view word) {
            return word.substr(0, word.find('=')) == option;
        });
    }

    /// The source of an option's value, which may be the environment or the config file.
    std::string source_of(std::string_view option) const {
        if (names(option)) return std::string(option);
        const std::string variable = root_.get_option(std::string(option))->get_envname();
        const char* const value = std::getenv(variable.c_str());
        const bool is_set = value != nullptr && *value != '\0';
        return is_set ? variable : std::string(option.substr(2)) + " in the config file";
    }

    /// The options on the command line that select the wallet.
    std::vector<std::string> given_options() const {
        std::vector<std::string> given;
        for (const char* name :
             {"--network", "--signet-challenge", "--datadir", "--wallet", "--config"}) {
            const CLI::Option* const option = root_.get_option(name);
            if (option->count() == 0 || !names(name)) continue;
            given.insert(given.end(), {name, option->results().back()});
        }
        return given;
    }

    GlobalOptions read_global() {
        const bool names_signet = root_.get_option("--signet-challenge")->count() > 0;
        GlobalOptions global;
        global.given = given_options();
        apply_config();
        global.network = network();
        // In the config file, the challenge only selects the signet that --network signet means.
        if (names_signet && raw_.network != kSignet) {
            throw usage_error("--signet-challenge goes with --network signet alone");
        }
        read_wallets(global);
        global.data_dir = data_dir();
        global.json = raw_.json;
        global.full = raw_.full;
        global.log_level = log_level();
        if (!raw_.log.file.empty()) global.log_file = raw_.log.file;
        global.allow_unsafe_files = raw_.allow_unsafe_files;
        return global;
    }

    void read_wallets(GlobalOptions& global) const {
        for (const std::string& name : raw_.wallets) {
            if (!client::is_wallet_name(name)) {
                throw usage_error(source_of("--wallet") +
                                  ": a wallet's name has 1 to 64 letters, digits, '.', '_' and "
                                  "'-', a letter or digit first");
            }
            const bool is_new = std::ranges::find(global.wallets, name) == global.wallets.end();
            if (is_new) global.wallets.push_back(name);
        }
        if (!global.wallets.empty()) global.wallet = global.wallets.back();
        if (global.wallets.size() == 1) global.wallets.clear();
    }

    void apply_config() {
        const auto file = raw_.config.empty() ? find_config_file(data_dir())
                                              : std::optional(open_config_file(raw_.config));
        if (!file) return;
        const auto distrust = chain::find_distrust(file->opened, file->path);
        const bool is_refused = distrust && !raw_.allow_unsafe_files;
        if (is_refused && called()->folder_use == FolderUse::writes) {
            throw unsafe_files_error(*distrust);
        }
        if (distrust) unsafe_config_ = {*distrust, log_level()};
        apply_config_file(root_, *file, is_refused ? distrust : std::nullopt);
    }

    std::filesystem::path data_dir() const {
        return raw_.data_dir.empty() ? default_data_dir() : std::filesystem::path(raw_.data_dir);
    }

    std::shared_ptr<const chain::NetworkParams> network() {
        raw_.network = network_name(raw_.network);
        if (raw_.network == kSignet && !raw_.signet_challenge.empty()) {
            const chain::Bytes challenge = chain::from_hex(raw_.signet_challenge).value();
            return std::make_shared<const chain::NetworkParams>(chain::signet_of(challenge));
        }
        auto network = table_network(raw_.network);
        if (network == nullptr) throw unknown_network();
        return network;
    }

    CommandError unknown_network() const {
        const std::vector<std::string> names = network_names();
        return usage_error(source_of("--network") + ": there is no network " +
                           printable(raw_.network, 60) + did_you_mean(raw_.network, names) + " (" +
                           comma_list(names) + ")");
    }

    LogLevel log_level() const {
        if (raw_.log.quiet) return LogLevel::error;
        if (raw_.log.very_verbose) return LogLevel::debug;
        return raw_.log.verbose ? LogLevel::info : raw_.log.level;
    }

    CLI::App root_{"a Bitcoin wallet that syncs with BIP37 Bloom filters"};
    RawGlobal raw_;
    std::vector<std::string> named_;  // the arguments as given
    std::vector<CommandEntry> entries_;
    std::optional<UnsafeConfig> unsafe_config_;  // that was applied
};

}  // namespace

std::variant<CommandLine, RequestedText> parse_command_line(
    const std::vector<std::string>& arguments, AddCommands add_commands, const HelpWidths& widths) {
    CommandLineParser parser{add_commands};
    if (auto text = parser.parse(arguments, widths)) return *text;
    return parser.read();
}

void show_command_line(AddCommands add_commands, const std::function<void(CLI::App&)>& use) {
    CommandLineParser parser{add_commands};
    use(parser.root());
}

bool asks_for_json(const std::vector<std::string>& arguments) {
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    return std::find(arguments.begin(), end, "--json") != end;
}

}  // namespace petal::cli
