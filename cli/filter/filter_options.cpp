#include "cli/filter/filter_options.h"

#include <array>
#include <memory>

#include "bloom/bloom_filter.h"
#include "chain/bytes.h"
#include "cli/files/user_file.h"
#include "cli/filter/filter_commands.h"
#include "cli/filter/filter_match.h"
#include "cli/filter/general/general_commands.h"
#include "cli/filter/report/filter_report.h"
#include "cli/options/option_values.h"
#include "cli/text/command_error.h"

namespace petal::cli {
namespace {

constexpr const char* kElementFooter =
    "An ELEMENT is bytes in hexadecimal (hex: in front forces that), an address "
    "of the network, a transaction id as txid:HEX, an outpoint as TXID:VOUT, or "
    "any text as text:TEXT.\n";

CLI::App* add_filter_command(CLI::App& filter, const char* name, const char* description) {
    CLI::App* app = filter.add_subcommand(name, description);
    app->group("Commands");
    return app;
}

void add_flags(CLI::App* app, bloom::UpdateMode& flags) {
    using enum bloom::UpdateMode;
    add_choice<bloom::UpdateMode>(
        app, "--flags", flags, {{"none", none}, {"all", all}, {"p2pubkey-only", pubkey_only}},
        "outpoints that a node adds to the filter by itself: of all matching "
        "outputs, only of those to bare keys, or none (default: all)");
}

void add_tweak(CLI::App* app, std::uint32_t& tweak) {
    app->add_option("--tweak", tweak, "the seed of the hashes (default: 0)")
        ->type_name("T")
        ->check(whole_number(0, 0xffffffff));
}

void add_wallet_filter(CLI::App* app, bool& wallet, bool& awaited,
                       std::optional<net::Privacy>& privacy) {
    CLI::Option* const own = app->add_flag("--wallet-filter", wallet,
                                           "the filter that petal's own wallet sends to its peers");
    app->add_flag("--awaited", awaited,
                  "with --wallet-filter: the filter of the addresses that await payments, which "
                  "sync --unconfirmed bloom sends to one peer beside compact filters or full "
                  "blocks")
        ->needs(own);
    add_privacy(app, privacy,
                "the filter of sync with this --privacy (default: as in the last sync)");
}

CLI::Validator filter_hex() {
    const auto check = [](std::string& text) -> std::string {
        return text.empty() ? "is empty; give the filterload message in hexadecimal" : "";
    };
    return {check, "", "filter"};
}

void add_source(CLI::App* app, FilterSource& source) {
    app->add_option("--hex", source.hex,
                    "the filter: the payload of a filterload message, or the whole message")
        ->type_name("HEX")
        ->check(filter_hex());
    app->add_option_function<std::string>(
           "--file", [&source](const std::string& path) { source.file = path; },
           "a file with the filter, in hexadecimal or binary")
        ->type_name("FILE");
    add_wallet_filter(app, source.wallet, source.awaited, source.privacy);
}

void add_size(CLI::App* app, std::uint64_t& bytes, std::uint32_t& functions) {
    app->add_option("--bytes", bytes, "the filter's size in bytes, at most 36,000 (BIP37)")
        ->type_name("B")
        ->check(whole_number(1, bloom::kMaxFilterBytes));
    app->add_option("--hashes", functions, "its number of hash functions, at most 50 (BIP37)")
        ->type_name("K")
        ->check(whole_number(1, bloom::kMaxHashFunctions));
}

/// Accepts numbers above `min` and at most `max`.
CLI::Validator number_between(double min, double max, const char* says) {
    return {[min, max, says](std::string& text) -> std::string {
                const auto value = chain::parse_number<double>(text);
                return value && *value > min && *value <= max ? "" : says;
            },
            "", "number"};
}

struct WorldValue {
    std::string_view name;
    double bloom::World::*value;
    double max = 1e15;
    std::string_view max_text = "1e15";
};

constexpr std::array kWorldValues{
    WorldValue{"addresses", &bloom::World::addresses},
    WorldValue{"transactions", &bloom::World::transactions},
    WorldValue{"transactions-per-second", &bloom::World::transactions_per_second, 1e6, "1e6"},
    WorldValue{"outputs-per-transaction", &bloom::World::outputs_per_transaction},
    WorldValue{"addresses-per-transaction", &bloom::World::addresses_per_transaction},
    WorldValue{"unspent-outputs", &bloom::World::unspent_outputs},
    WorldValue{"data-pushes-per-input", &bloom::World::data_pushes_per_input},
    WorldValue{"transaction-bytes", &bloom::World::transaction_bytes},
    WorldValue{"full-transaction-bytes", &bloom::World::full_transaction_bytes},
    WorldValue{"exposed-keys", &bloom::World::exposed_keys},
    WorldValue{"funded-addresses", &bloom::World::funded_addresses},
    WorldValue{"script-type-share", &bloom::World::script_type_share, 1, "1"},
    WorldValue{"rival-clusters", &bloom::World::rival_clusters},
    WorldValue{"blocks-per-day", &bloom::World::blocks_per_day},
    WorldValue{"bip158-filter-bytes", &bloom::World::bip158_filter_bytes},
};

void set_world_value(bloom::World& world, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    for (const WorldValue& entry : kWorldValues) {
        if (entry.name != name || equals == std::string::npos) continue;
        const auto value = chain::parse_number<double>(std::string_view(text).substr(equals + 1));
        if (!value || !(*value > 0) || !(*value <= entry.max)) {
            throw usage_error("--world " + std::string(name) +
                              ": must be a number above 0 and at most " +
                              std::string(entry.max_text));
        }
        world.*entry.value = *value;
        return;
    }
    std::string names;
    for (const WorldValue& entry : kWorldValues) {
        names += (names.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw usage_error("--world takes NAME=VALUE, with a name of: " + names);
}

using WorldTexts = std::shared_ptr<std::vector<std::string>>;

WorldTexts add_assumptions(CLI::App* app, FilterAssumptions& assumptions) {
    auto texts = std::make_shared<std::vector<std::string>>();
    const bool takes_wallet = app->get_option_no_throw("--wallet-filter") != nullptr;
    app->add_option_function<double>(
           "--used", [&assumptions](const double& used) { assumptions.used = used; },
           takes_wallet ? "used addresses of the wallet (default: 10; with --wallet-filter, the "
                          "actual number)"
                        : "used addresses of the wallet (default: 10)")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000));
    app->add_option("--universe", assumptions.world.addresses,
                    "addresses that a peer tests (default: 1.5e9, all that were ever used)")
        ->type_name("U")
        ->check(number_between(1, 1e12, "must be a number from 2 to 1e12"));
    app->add_option("--shards", assumptions.shards,
                    "disjoint filters that the wallet spreads over its peers (default: 1)")
        ->type_name("S")
        ->check(whole_number(1, 1'000));
    app->add_option("--world", *texts,
                    "another number to assume about Bitcoin, such as exposed-keys=5e8; may be "
                    "repeated")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    return texts;
}

void finish(FilterAssumptions& assumptions, const std::vector<std::string>& world) {
    for (const std::string& text : world) set_world_value(assumptions.world, text);
    if (assumptions.used.value_or(1) > assumptions.world.addresses) {
        throw usage_error("--used: a wallet has no more addresses than the universe");
    }
    const bloom::World& known = assumptions.world;
    if (known.unspent_outputs >= known.outputs()) {
        throw usage_error("--world: there can't be more unspent outputs than outputs");
    }
    if (known.transactions_per_block() < 1) {
        throw usage_error("--world: a block has at least one transaction");
    }
}

void require_wallet_for_privacy(bool wallet, std::optional<net::Privacy> privacy) {
    if (privacy && !wallet) throw usage_error("--privacy is for --wallet-filter alone");
}

void require_one_filter(const FilterSource& source) {
    const int given = (source.hex.empty() ? 0 : 1) + (source.file ? 1 : 0) +
                      (source.standard_input ? 1 : 0) + (source.wallet ? 1 : 0);
    if (given != 1) {
        throw usage_error("give one filter: a file, --hex or --wallet-filter");
    }
    require_wallet_for_privacy(source.wallet, source.privacy);
}

void check_design(const FilterDesignOptions& options) {
    const bool has_rate = options.false_positive_rate != 0;
    if (options.bytes == 0) {
        if (options.elements == 0) throw usage_error("--elements is missing, or --bytes");
        if (!has_rate) throw usage_error("--fpr is missing, or --bytes");
        if (options.hash_functions != 0) throw usage_error("--hashes is for --bytes alone");
        return;
    }
    if (options.elements != 0 && has_rate) {
        throw usage_error("--bytes goes with either --elements or --fpr");
    }
    if (options.elements == 0 && !has_rate && options.hash_functions == 0) {
        throw usage_error("give --hashes, --elements or --fpr with --bytes");
    }
}

CommandEntry add_design(CLI::App& filter) {
    CLI::App* app =
        add_filter_command(filter, "design", "the size of a filter, by its elements and rate");
    auto options = std::make_shared<FilterDesignOptions>();
    app->add_option("--elements", options->elements, "number of elements in the filter")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000));
    app->add_option("--fpr", options->false_positive_rate,
                    "its false positive rate with these elements")
        ->type_name("P")
        ->check(probability());
    add_size(app, options->bytes, options->hash_functions);
    add_flags(app, options->flags);
    add_tweak(app, options->tweak);
    app->footer(
        "With --bytes, either --elements or --fpr may be given. Without --hashes, "
        "the best number of functions is taken.\n\n"
        "Examples:\n"
        "  petal filter design --elements 2048 --fpr 1e-5\n"
        "  petal filter design --bytes 1923 --hashes 16\n"
        "  petal filter design --bytes 1923 --fpr 1e-5");
    return {app, [options](const GlobalOptions&) {
                check_design(*options);
                return make_action(*options, run_filter_design);
            }};
}

void add_as_texts(CLI::App* app, bool& as_texts) {
    app->add_flag("--text", as_texts, "every ELEMENT is a text, without text: in front");
}

CommandEntry add_make(CLI::App& filter) {
    CLI::App* app = add_filter_command(filter, "make", "a filter with these elements in it");
    auto options = std::make_shared<FilterMakeOptions>();
    app->add_option("--fpr", options->false_positive_rate,
                    "the false positive rate that it is sized for")
        ->type_name("P")
        ->check(probability());
    app->add_option("--elements", options->elements,
                    "number of elements that it is sized for (default: the number of given "
                    "elements)")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000));
    add_size(app, options->bytes, options->hash_functions);
    add_flags(app, options->flags);
    add_tweak(app, options->tweak);
    app->add_flag("--stdin", options->from_stdin, "read more elements, one a line");
    app->add_option("ELEMENT", options->content, "elements to insert");
    app->footer(std::string(kElementFooter) +
                "\nPrints the payload of a filterload message in hexadecimal.\n\nExample:\n"
                "  petal filter make --fpr 1e-5 \\\n    99108ad8ed9bb6274d3980bab5a85c048f0950c8");
    return {app, [options](const GlobalOptions&) {
                const bool by_rate = options->false_positive_rate != 0;
                const bool by_size = options->bytes != 0 && options->hash_functions != 0;
                const bool part_of_size = options->bytes != 0 || options->hash_functions != 0;
                if (by_rate ? part_of_size : !by_size || options->elements != 0) {
                    throw usage_error(
                        "give the size either as --fpr (and --elements) or as --bytes and "
                        "--hashes");
                }
                if (options->content.empty() && !options->from_stdin) {
                    throw usage_error("give the elements to insert, or --stdin");
                }
                return make_action(std::move(*options), run_filter_make);
            }};
}

/// Stores the argument FILE. An empty argument is ignored.
void take_argument(const std::string& argument, FilterSource& source) {
    if (argument.empty()) return;
    if (source.file) throw usage_error("give the file either as FILE or with --file");
    if (argument == kStandardStream) {
        source.standard_input = true;
    } else {
        source.file = argument;
    }
}

void add_fail_at(CLI::App* app, std::optional<bloom::Grade>& grade) {
    using enum bloom::Grade;
    std::vector<std::pair<std::string, bloom::Grade>> grades;
    for (const bloom::Grade each : {exposed, weak, limited, best}) {
        grades.emplace_back(bloom::key_of(each), each);
    }
    add_choice<bloom::Grade>(
        app, "--fail-at", grade, grades,
        "end with status 1 if the verdict is this grade or a worse one; they are "
        "listed from bad to good");
}

CommandEntry add_inspect(CLI::App& filter) {
    CLI::App* app = add_filter_command(filter, "inspect", "what a peer learns from a filter");
    auto options = std::make_shared<FilterInspectOptions>();
    auto bytes = std::make_shared<std::uint64_t>(0);
    auto functions = std::make_shared<std::uint32_t>(0);
    auto argument = std::make_shared<std::string>();
    app->add_option("FILE", *argument, "as --file; - is standard input");
    add_source(app, options->filter);
    add_size(app, *bytes, *functions);
    app->add_option("--elements", options->elements,
                    "without a filter: number of elements in one of this size")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000));
    add_flags(app, options->flags);
    add_fail_at(app, options->fail_at);
    const WorldTexts world = add_assumptions(app, options->assumptions);
    app->footer(
        "Counts, pairs, candidates, chains of spends, traffic, and a verdict with what would "
        "help.\n\nExamples:\n"
        "  petal filter inspect filterload.hex --used 20\n"
        "  petal filter inspect --bytes 1923 --hashes 16 \\\n"
        "    --elements 542");
    return {app, [=](const GlobalOptions&) {
                take_argument(*argument, options->filter);
                const bool parameters = *bytes != 0 || *functions != 0 || options->elements != 0;
                if (parameters) {
                    const bool all = *bytes != 0 && *functions != 0 && options->elements != 0;
                    if (!all || !options->parameters_only() || options->filter.privacy) {
                        throw usage_error(
                            "give a filter, or --bytes, --hashes and --elements together");
                    }
                    options->size = {static_cast<std::size_t>(*bytes), *functions, false};
                } else {
                    require_one_filter(options->filter);
                }
                finish(options->assumptions, *world);
                return make_action(std::move(*options), run_filter_inspect);
            }};
}

CommandEntry add_match(CLI::App& filter) {
    CLI::App* app = add_filter_command(filter, "match", "test which elements match a filter");
    auto options = std::make_shared<FilterMatchOptions>();
    add_source(app, options->filter);
    app->add_flag("--stdin", options->from_stdin, "read more elements, one a line");
    add_as_texts(app, options->as_texts);
    app->add_flag("--matches-only", options->matches_only, "print only matches, for long lists");
    app->add_option("ELEMENT", options->elements, "elements to test");
    app->footer(
        std::string(kElementFooter) +
        "\nLines of standard input that are not an ELEMENT are reported; the others are tested.\n\n"
        "Example:\n"
        "  petal filter match --file filter.hex \\\n"
        "    99108ad8ed9bb6274d3980bab5a85c048f0950c8");
    return {app, [options](const GlobalOptions&) {
                if (options->filter.is_empty()) {
                    throw usage_error(
                        "give the filter: its file goes with --file, its hexadecimal with --hex, "
                        "or --wallet-filter");
                }
                require_one_filter(options->filter);
                if (options->elements.empty() && !options->from_stdin) {
                    throw usage_error("give the elements to look for, or --stdin");
                }
                return make_action(std::move(*options), run_filter_match);
            }};
}

CommandEntry add_create(CLI::App& filter) {
    CLI::App* app =
        add_filter_command(filter, "create", "a file with an empty filter for any data");
    auto options = std::make_shared<FilterCreateOptions>();
    app->add_option_function<std::string>(
           "FILE", [options](const std::string& file) { options->file = file; },
           "the file to make; it must not exist")
        ->required();
    app->add_option("--expected", options->expected, "number of elements that will be added")
        ->type_name("N")
        ->required()
        ->check(whole_number(1, std::uint64_t{1} << 40));
    app->add_option("--fpr", options->false_positive_rate,
                    "the false positive rate with these elements (default: 0.03)")
        ->type_name("P")
        ->check(probability());
    app->footer(
        "Sized as by Guava's BloomFilter.create. A filter beyond the limits of BIP37 "
        "(36,000 bytes, 50 functions) is not for peers: only filter add and filter "
        "match take it.\n\n"
        "Example:\n"
        "  petal filter create seen.filter \\\n"
        "    --expected 1000000 --fpr 0.001");
    return {app, [options](const GlobalOptions&) {
                if (options->false_positive_rate < 1e-15) {
                    throw usage_error("--fpr: must be at least 1e-15");
                }
                return make_action(std::move(*options), run_filter_create);
            }};
}

CommandEntry add_add(CLI::App& filter) {
    CLI::App* app = add_filter_command(filter, "add", "add elements to the filter in a file");
    auto options = std::make_shared<FilterAddOptions>();
    app->add_option_function<std::string>(
           "FILE", [options](const std::string& file) { options->file = file; },
           "the file, of filter create or filter make; it is updated in place")
        ->required();
    app->add_flag("--stdin", options->from_stdin, "read more elements, one a line");
    add_as_texts(app, options->as_texts);
    app->add_option("ELEMENT", options->elements, "elements to add");
    app->footer(std::string(kElementFooter) +
                "\nSays how many were new. filter match asks for them.\n\nExamples:\n"
                "  petal filter add seen.filter text:https://a.example/\n"
                "  petal filter add seen.filter --stdin --text < urls.txt");
    return {app, [options](const GlobalOptions&) {
                if (options->elements.empty() && !options->from_stdin) {
                    throw usage_error("give the elements to add, or --stdin");
                }
                return make_action(std::move(*options), run_filter_add);
            }};
}

CommandEntry add_compare(CLI::App& filter) {
    CLI::App* app =
        add_filter_command(filter, "compare", "what several filters of one wallet reveal together");
    auto options = std::make_shared<FilterCompareOptions>();
    app->add_option("FILTER", options->filters, "a file with a filter, or its hexadecimal");
    const WorldTexts world = add_assumptions(app, options->assumptions);
    app->footer(
        "Give the filters in order of time.\n\nExample:\n  petal filter compare monday.hex "
        "tuesday.hex");
    return {app, [options, world](const GlobalOptions&) {
                if (options->filters.size() < 2) throw usage_error("give two filters or more");
                if (options->filters.size() > 100) throw usage_error("give at most 100 filters");
                finish(options->assumptions, *world);
                return make_action(std::move(*options), run_filter_compare);
            }};
}

template <typename Value>
void add_goal(CLI::App* app, const char* name, std::optional<Value>& goal, double min, double max,
              const char* says, const char* description) {
    app->add_option_function<double>(
           name, [&goal](const double& value) { goal = value; }, description)
        ->type_name("X")
        ->check(number_between(min, max, says));
}

void add_goals(CLI::App* app, bloom::FilterTarget& target, double& megabytes) {
    constexpr double kNearOne = 1 - 1e-12;
    add_goal(app, "--guess", target.guess, 0, kNearOne, "must be above 0 and below 1",
             "a peer's guess may be right with this probability");
    add_goal(app, "--anonymity", target.anonymity, 1, 1e12, "must be above 1 and at most 1e12",
             "addresses that hide each of the wallet's, at least");
    add_goal(app, "--evidence", target.evidence, 0, 1e3, "must be above 0 and at most 1,000",
             "maximum information in bits from one match");
    app->add_option_function<std::uint32_t>(
           "--chain",
           [&target](const std::uint32_t& length) {
               target.chain = bloom::FilterTarget::Chain{length, 1};
           },
           "hide chains of spends of this length: on average, at least one random chain "
           "of it matches by chance")
        ->type_name("LENGTH")
        ->check(whole_number(1, 100));
    app->add_option("--budget", megabytes, "maximum traffic in MB a day")
        ->type_name("MB")
        ->check(number_between(0, 1e6, "must be above 0 and at most 1,000,000"));
}

CommandEntry add_plan(CLI::App& filter) {
    CLI::App* app =
        add_filter_command(filter, "plan", "privacy against traffic, and a recommendation");
    auto options = std::make_shared<FilterPlanOptions>();
    auto megabytes = std::make_shared<double>(0);
    app->add_option("--elements", options->elements, "elements in the filter (default: 2,048)")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000));
    app->add_option("--utxos", options->utxos, "outpoints that are inserted, too (default: none)")
        ->type_name("N")
        ->check(whole_number(0, 1'000'000'000));
    add_goals(app, options->target, *megabytes);
    const WorldTexts world = add_assumptions(app, options->assumptions);
    app->footer(
        "The default goal is a budget of 1 MB a day.\n\nExample:\n"
        "  petal filter plan --used 20 --guess 0.001 --budget 5");
    return {app, [=](const GlobalOptions&) {
                bloom::FilterTarget& target = options->target;
                if (*megabytes > 0) target.daily_bytes = *megabytes * 1e6;
                const bool any = target.guess || target.anonymity || target.evidence ||
                                 target.chain || target.daily_bytes;
                if (!any) target.daily_bytes = 1e6;
                finish(options->assumptions, *world);
                const double used = options->assumptions.used.value_or(kUsedAddresses);
                if (used >= options->assumptions.world.addresses) {
                    throw usage_error("--used: a wallet has fewer addresses than the universe");
                }
                return make_action(*options, run_filter_plan);
            }};
}

CommandEntry add_report(CLI::App& filter) {
    CLI::App* app =
        add_filter_command(filter, "report", "the results of inspect and compare as one HTML page");
    auto options = std::make_shared<FilterReportOptions>();
    auto output = std::make_shared<std::string>();
    app->add_option("FILTER", options->filters, "a file with a filter, or its hexadecimal");
    add_wallet_filter(app, options->wallet, options->awaited, options->privacy);
    app->add_option("-o,--output", *output,
                    "the HTML page to write, or to replace; it is self-contained")
        ->type_name("FILE.html");
    const WorldTexts world = add_assumptions(app, options->assumptions);
    app->footer(
        "Several filters, in order of time, are also compared.\n\nExamples:\n"
        "  petal filter report -o report.html filter.hex\n"
        "  petal filter report -o mine.html --wallet-filter");
    return {app, [=](const GlobalOptions&) {
                if (output->empty()) throw usage_error("say where the page goes, with -o");
                if (*output == "-") throw usage_error("-o names a file, not standard output");
                if (options->filters.empty() != options->wallet) {
                    throw usage_error("give filters, or --wallet-filter");
                }
                require_wallet_for_privacy(options->wallet, options->privacy);
                if (options->filters.size() > 20) throw usage_error("give at most 20 filters");
                options->output = *output;
                finish(options->assumptions, *world);
                return make_action(std::move(*options), run_filter_report);
            }};
}

}  // namespace

std::vector<CommandEntry> add_filter_commands(CLI::App& root) {
    CLI::App& filter = *add_command(root, kFilters, "filter", "make and analyse BIP37 filters");
    std::vector<CommandEntry> entries{add_design(filter),  add_make(filter),  add_create(filter),
                                      add_add(filter),     add_match(filter), add_inspect(filter),
                                      add_compare(filter), add_plan(filter),  add_report(filter)};
    for (CommandEntry& entry : entries) entry.folder_use = FolderUse::reads;
    return without_secrets(std::move(entries));
}

}  // namespace petal::cli
