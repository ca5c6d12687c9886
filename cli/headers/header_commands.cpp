#include "cli/headers/header_commands.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "chain/headers/anchors.h"
#include "chain/headers/header_file.h"
#include "chain/storage/new_file.h"
#include "cli/files/user_file.h"
#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/terminal/status_line.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "client/data/stored_chain.h"
#include "net/io/clocks.h"

namespace petal::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeadersPerStep = 2'000;

CommandError failure(std::string_view code, const std::string& message) {
    return {ExitStatus::failed, code, message};
}

void expect_headers(const GlobalOptions& global) {
    data_of(global).check();
    if (client::has_stored_headers(data_of(global))) return;
    throw failure("no-headers",
                  "no headers of " + std::string(global.network->name) + " are stored yet; " +
                      advised("sync", without_missing_wallet(global)) + " fetches them");
}

void wait_for_writer() {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

/// Shows the progress of reading headers.
class HeaderProgress {
public:
    HeaderProgress(Console& console, std::optional<std::uint32_t> total)
        : line_(console, Clock::now()), total_(total) {}
    void update(std::uint32_t done) {
        line_.show("headers " + format_count(done) +
                       (total_ ? " of " + format_count(*total_) : std::string()),
                   Clock::now());
    }

private:
    StatusLine line_;
    std::optional<std::uint32_t> total_;
};

Json header_json(const chain::BlockRef& block, const chain::BlockHeader& header) {
    return {{"height", block.height}, {"hash", block.hash.to_hex()}, {"time", header.time}};
}

std::uint64_t size_of(const fs::path& file) {
    std::error_code not_there;
    const auto size = fs::file_size(file, not_there);
    return not_there ? 0 : size;
}

std::string tip_text(const chain::HeaderChain& chain) {
    return "block " + format_count(chain.tip().height) + " of " +
           format_time(chain.tip_header().time) + "\n         " + chain.tip().hash.to_hex() + "\n";
}

/// As Bitcoin Core prints it (getblockchaininfo): 64 digits.
std::string work_hex(const chain::Uint256& work) {
    constexpr std::size_t kDigits = 64;
    const std::string digits = chain::to_hex(work);
    return std::string(kDigits - digits.size(), '0') + digits;
}

/// The mean number of hashes that the work takes, as a power of 2 (log2_work in Bitcoin Core's
/// log).
std::string work_text(const chain::Uint256& work) {
    double hashes = 0;
    const auto bytes = work.to_little_endian();
    for (std::size_t i = bytes.size(); i-- > 0;) hashes = 256 * hashes + bytes[i];
    std::array<char, 32> power{};
    std::snprintf(power.data(), power.size(), "2^%.2f", std::log2(hashes));
    return std::string(power.data()) + " hashes on average, chainwork\n         " + work_hex(work);
}

std::string damage_text(const client::StoredChain& stored, const GlobalOptions& global) {
    return printable(data_of(global).header_file().string()) + " is damaged after block " +
           format_count(stored.chain.tip().height) + ": " +
           format_bytes(stored.file.damaged_bytes()) + " can't be used; " +
           advised("sync", global) + " cuts them off, and fetches them again";
}

void warn_of_unsynced_chain(const chain::HeaderChain& chain, Console& console) {
    if (chain.has_minimum_chainwork()) return;
    console.warn("this chain carries less work than " + std::string(chain.network().name) +
                 " is known to have; it is not synced yet");
}

/// The anchor at which a file that starts with this header may join the known chain.
chain::Anchor root_for(const chain::NetworkParams& network, const chain::BlockHeader& first) {
    const chain::BlockHash hash = first.hash();
    for (std::size_t place = chain::anchor_count(network); place-- > 0;) {
        chain::Anchor anchor = chain::anchor_at(network, place);
        const chain::BlockHash anchor_hash = anchor.header.hash();
        if (hash == anchor_hash || first.previous == anchor_hash) return anchor;
    }
    return client::highest_anchor(network);
}

/// Headers from a file or a stream, taken in steps.
class Import {
public:
    /// Reads the first headers. Throws CommandError if there is no header, or if the size of a file
    /// shows that the file ends within a header.
    Import(const HeadersImportOptions& options, const GlobalOptions& global, Console& console)
        : options_(options),
          network_(*global.network),
          name_(options.file == kStandardStream ? "standard input"
                                                : printable(options.file.string())),
          input_(options.file, console),
          total_(count_in(options.file)),
          next_(read_step()) {
        if (!next_.empty()) return;
        throw is_cut_ ? cut_within_header() : failure("not-headers", name_ + " is empty");
    }

    /// The number of headers, if known before the headers are read.
    std::optional<std::uint32_t> total() const { return total_; }
    std::uint32_t read() const { return read_; }
    std::size_t added() const { return added_; }
    /// Until the first step, the first header.
    const chain::BlockHeader& first() const { return next_.front(); }

    /// Throws if the file's last header is not on the best chain, because a chain with more work is
    /// stored.
    void check_work(const client::StoredChain& stored) const {
        const bool is_best = stored.chain.is_on_best_chain(last_) &&
                             stored.chain.chainwork() >= stored.file.higher_chainwork();
        if (is_best) return;
        throw failure("less-work", name_ +
                                       " carries less work than the headers that are stored, "
                                       "which stay in use");
    }

    /// Takes the next headers. Returns whether there are more.
    bool step(chain::HeaderChain& chain) {
        if (!options_.from_genesis) check_anchors(next_, chain);
        const auto result = chain.accept(next_, net::unix_time_now());
        added_ += result.added;
        read_ += static_cast<std::uint32_t>(result.accepted);
        last_ = next_.back().hash();
        if (result.error) {
            throw failure("bad-header", "header " + format_count(read_ + 1) + " of " + name_ +
                                            " is refused: " + std::string(describe(*result.error)) +
                                            "; of those before it, " + format_count(added_) +
                                            " were new and are kept");
        }
        if (is_cut_) throw cut_within_header();
        next_ = read_step();
        if (next_.empty() && is_cut_) throw cut_within_header();
        return !next_.empty();
    }

private:
    std::optional<std::uint32_t> count_in(const fs::path& file) const {
        std::error_code none;
        if (file == kStandardStream || !fs::is_regular_file(file, none)) return std::nullopt;
        const auto size = fs::file_size(file, none);
        const auto count = size / chain::kHeaderBytes;
        if (none || count > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
        if (size % chain::kHeaderBytes == 0) return static_cast<std::uint32_t>(count);
        throw failure("not-headers", name_ + " is no file of headers: its size is no multiple of " +
                                         std::to_string(chain::kHeaderBytes) + " bytes");
    }

    CommandError cut_within_header() const {
        return failure("not-headers", name_ + " ends within a header; of those before it, " +
                                          format_count(added_) + " were new and are kept");
    }

    std::vector<chain::BlockHeader> read_step() {
        chain::Bytes bytes(kHeadersPerStep * chain::kHeaderBytes);
        const std::size_t count = input_.read(bytes);
        const std::size_t rest = count % chain::kHeaderBytes;
        is_cut_ = rest != 0;
        chain::ByteReader reader{chain::ByteView(bytes).first(count - rest)};
        std::vector<chain::BlockHeader> headers;
        while (reader.remaining() > 0) headers.push_back(chain::read_block_header(reader));
        return headers;
    }

    void check_anchors(const std::vector<chain::BlockHeader>& headers,
                       const chain::HeaderChain& chain) const {
        const auto parent = chain.height_of(headers.front().previous);
        if (!parent) return;
        for (std::size_t i = 0; i < headers.size(); ++i) {
            const auto height = static_cast<std::uint32_t>(*parent + 1 + i);
            const auto anchor = chain::find_anchor(network_, height);
            if (!anchor || anchor->header == headers[i]) continue;
            throw failure(
                "contradicts-anchor",
                name_ + " is of another chain than the one known: its block " +
                    format_count(height) +
                    " is not the one that petal knows; --from-genesis takes it all the same");
        }
    }

    const HeadersImportOptions& options_;
    const chain::NetworkParams& network_;
    std::string name_;
    UserInput input_;
    std::uint32_t read_ = 0;
    std::size_t added_ = 0;
    std::optional<std::uint32_t> total_;
    bool is_cut_ = false;  // the input ends within a header
    std::vector<chain::BlockHeader> next_;
    chain::BlockHash last_;  // the last header taken
};

void run_headers_status(const GlobalOptions& global, Console& console) {
    expect_headers(global);
    const auto examined = client::examine_stored_chain(data_of(global), wait_for_writer);
    const client::StoredChain& stored = *examined;
    const chain::HeaderChain& chain = stored.chain;
    const chain::BlockRef root = chain.root();
    if (stored.file.damaged_bytes() > 0) console.warn(damage_text(stored, global));
    const std::uint64_t bytes = size_of(data_of(global).header_file());
    const std::uint64_t index_bytes = size_of(data_of(global).header_file().concat(".index"));
    if (global.json) {
        return console.print_json(
            {{"network", global.network->name},
             {"file", data_of(global).header_file().string()},
             {"bytes", bytes},
             {"index_bytes", index_bytes},
             {"headers", chain.size()},
             {"start", header_json(root, chain.header_at(root.height))},
             {"tip", header_json(chain.tip(), chain.tip_header())},
             {"chainwork", work_hex(chain.chainwork())},
             {"minimum_chainwork", work_hex(global.network->minimum_chainwork)},
             {"has_minimum_chainwork", chain.has_minimum_chainwork()},
             {"damaged_bytes", stored.file.damaged_bytes()}});
    }
    const std::uint64_t in_chain = std::uint64_t{chain.tip().height} - root.height + 1;
    const std::uint64_t others = chain.size() - std::min<std::uint64_t>(in_chain, chain.size());
    console.prose() << "tip      " << tip_text(chain) << "start    block "
                    << format_count(root.height) << '\n'
                    << "stored   " << count_of(chain.size(), "header")
                    << (others > 0 ? ", " + format_count(others) + " of them of other branches, "
                                   : ", ")
                    << format_bytes(bytes)
                    << (index_bytes > 0 ? " and an index of " + format_bytes(index_bytes) : "")
                    << '\n'
                    << "work     " << work_text(chain.chainwork()) << '\n';
    warn_of_unsynced_chain(chain, console);
}

void run_headers_verify(const GlobalOptions& global, Console& console) {
    expect_headers(global);
    const auto start = Clock::now();
    const auto examined = client::examine_stored_chain(data_of(global), wait_for_writer);
    const client::StoredChain& stored = *examined;
    const chain::HeaderChain& chain = stored.chain;
    if (stored.file.damaged_bytes() > 0) {
        throw CommandError(ExitStatus::damaged, "headers-damaged", damage_text(stored, global));
    }
    HeaderProgress progress(console, chain.size());
    const std::int64_t now = net::unix_time_now();
    for (std::uint32_t number = 0; number < chain.size(); ++number) {
        if (const auto error = chain.recheck(number, now)) {
            throw CommandError(ExitStatus::damaged, "headers-invalid",
                               "the stored header " +
                                   chain.header_by_number(number).hash().to_hex() +
                                   " breaks a rule: " + std::string(describe(*error)) +
                                   "; remove " + printable(data_of(global).header_file().string()) +
                                   ", and it is fetched again");
        }
        if (number % kHeadersPerStep == 0) progress.update(number);
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (global.json) {
        return console.print_json({{"network", global.network->name},
                                   {"valid", true},
                                   {"headers", chain.size()},
                                   {"tip", header_json(chain.tip(), chain.tip_header())},
                                   {"seconds", seconds}});
    }
    console.prose() << count_of(chain.size(), "header") << " checked in "
                    << format_duration(seconds) << ", up to " << tip_text(chain);
}

void run_headers_export(const HeadersExportOptions& options, const GlobalOptions& global,
                        Console& console) {
    expect_headers(global);
    const auto examined = client::examine_stored_chain(data_of(global), wait_for_writer);
    const client::StoredChain& stored = *examined;
    const chain::HeaderChain& chain = stored.chain;
    if (stored.file.damaged_bytes() > 0) {
        throw CommandError(ExitStatus::damaged, "headers-damaged", damage_text(stored, global));
    }
    const std::uint32_t first = chain.root().height;
    const std::uint32_t count = chain.tip().height - first + 1;
    HeaderProgress progress(console, count);
    const auto export_by = [&](const std::function<void(chain::ByteView bytes)>& write) {
        chain::Bytes step;
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto bytes = chain.header_at(first + i).serialize();
            step.insert(step.end(), bytes.begin(), bytes.end());
            if ((i + 1) % kHeadersPerStep != 0 && i + 1 != count) continue;
            write(step);
            step.clear();
            progress.update(i);
        }
    };
    if (options.file == kStandardStream) {
        export_by([&](chain::ByteView bytes) {
            console.out().write(reinterpret_cast<const char*>(bytes.data()),
                                static_cast<std::streamsize>(bytes.size()));
        });
        return;
    }
    make_user_file(options.file, [&] {
        chain::NewFile made(options.file);
        export_by([&](chain::ByteView bytes) { made.write(bytes); });
        made.keep();
    });
    if (global.json) {
        return console.print_json({{"network", global.network->name},
                                   {"file", options.file.string()},
                                   {"headers", count},
                                   {"start_height", first},
                                   {"tip", header_json(chain.tip(), chain.tip_header())}});
    }
    console.prose() << count_of(count, "header") << " written, from block " << format_count(first)
                    << " up to " << tip_text(chain);
}

void run_headers_import(const HeadersImportOptions& options, const GlobalOptions& global,
                        Console& console) {
    data_of(global).check();
    Import import(options, global, console);
    make_network_folder(global);
    const chain::Anchor root = options.from_genesis ? chain::genesis_anchor(*global.network)
                                                    : root_for(*global.network, import.first());
    client::StoredChain stored(data_of(global), root, /*read_only=*/false);
    if (stored.file.read_only()) throw headers_locked();
    HeaderProgress progress(console, import.total());
    try {
        while (import.step(stored.chain)) {
            progress.update(import.read());
            stored.file.flush();
        }
    } catch (const CommandError&) {
        stored.file.flush();  // headers before the bad header are valid
        throw;
    }
    stored.file.flush();
    import.check_work(stored);
    if (global.json) {
        console.print_json({{"network", global.network->name},
                            {"read", import.read()},
                            {"added", import.added()},
                            {"tip", header_json(stored.chain.tip(), stored.chain.tip_header())},
                            {"has_minimum_chainwork", stored.chain.has_minimum_chainwork()}});
    } else {
        console.prose() << count_of(import.read(), "header") << " read, "
                        << format_count(import.added()) << " of them new; now at "
                        << tip_text(stored.chain);
    }
    warn_of_unsynced_chain(stored.chain, console);
}

CommandEntry add_headers_status(CLI::App& headers) {
    CLI::App* app = headers.add_subcommand("status", "show the range and the size of the headers");
    return reading(plain_entry(app, run_headers_status));
}

CommandEntry add_headers_verify(CLI::App& headers) {
    CLI::App* app =
        headers.add_subcommand("verify", "check all stored headers again, by all rules");
    return reading(plain_entry(app, run_headers_verify));
}

CommandEntry add_headers_export(CLI::App& headers) {
    CLI::App* app =
        headers.add_subcommand("export", "write the best chain's headers, 80 bytes each");
    auto options = std::make_shared<HeadersExportOptions>();
    app->add_option("FILE", options->file, "the file to write; - is standard output")->required();
    return reading({app, [options](const GlobalOptions& global) {
                        if (global.json && options->file == "-") {
                            throw usage_error(
                                "standard output can't take both the headers and --json");
                        }
                        return make_action(std::move(*options), run_headers_export);
                    }});
}

CommandEntry add_headers_import(CLI::App& headers) {
    CLI::App* app = headers.add_subcommand("import", "import headers from a file, 80 bytes each");
    auto options = std::make_shared<HeadersImportOptions>();
    app->add_option("FILE", options->file, "the file to read; - is standard input")->required();
    app->add_flag("--from-genesis", options->from_genesis,
                  "import them even if they contradict a block that petal knows");
    app->footer(
        "Each header is checked as if a peer had sent it; the headers before an "
        "invalid one are kept. Of a file that ends within a header, none is "
        "imported. Until a pipe ends, no other command can write the headers.");
    return {app, [options](const GlobalOptions&) {
                std::error_code none;
                const bool can_be_read_again = fs::is_regular_file(options->file, none);
                Action action = make_action(std::move(*options), run_headers_import);
                action.may_run_twice = can_be_read_again;
                return action;
            }};
}

CommandEntry add_headers_reset(CLI::App& headers) {
    CLI::App* app =
        headers.add_subcommand("reset", "remove the stored headers, and all confirmations");
    auto options = std::make_shared<HeadersResetOptions>();
    app->add_flag("--yes", options->yes, "do so without asking");
    app->footer(
        "For use after a node's chain was recreated, on regtest for instance: petal "
        "follows the stored chain until one has more work. The next sync of each "
        "wallet of the network searches from its birthday; labels and addresses stay.");
    return plain_entry(app, options, run_headers_reset);
}

}  // namespace

std::vector<CommandEntry> add_header_commands(CLI::App& root) {
    CLI::App& headers =
        *add_command(root, kSyncing, "headers", "inspect and exchange the stored headers");
    return without_secrets({add_headers_status(headers), add_headers_verify(headers),
                            add_headers_export(headers), add_headers_import(headers),
                            add_headers_reset(headers)});
}

}  // namespace petal::cli
