#include "cli/filter/general/general_commands.h"

#include <ostream>
#include <string_view>

#include "bloom/bloom_filter.h"
#include "bloom/large_filter_file.h"
#include "chain/storage/new_file.h"
#include "cli/files/user_file.h"
#include "cli/filter/general/filter_file.h"
#include "cli/filter/input/element.h"
#include "cli/filter/input/element_lines.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

/// Writes an empty BIP37 filter in hexadecimal, as `filter make` prints filters.
void create_peer_filter(const std::filesystem::path& file, const bloom::FilterSize& size) {
    const bloom::BloomFilter filter(size, 0, bloom::UpdateMode::all);
    const std::string hex = chain::to_hex(filter.encode()) + "\n";
    make_user_file(file, [&] {
        chain::NewFile draft(file);
        draft.write(chain::as_bytes(hex));
        draft.keep();
    });
}

Json create_json(const FilterCreateOptions& options, const bloom::GeneralSize& size) {
    return {{"file", options.file.string()},
            {"for_peers", size.for_peers().has_value()},
            {"elements", options.expected},
            {"fpr", options.false_positive_rate},
            {"bytes", size.bits / 8},
            {"bits", size.bits},
            {"hash_functions", size.hash_functions},
            {"fpr_at_elements", size.expected_rate(options.expected)}};
}

std::string create_text(const FilterCreateOptions& options, const bloom::GeneralSize& size) {
    const std::string text = "wrote " + printable(options.file.string()) + ", " +
                             format_bytes(size.bits / 8) + " and " +
                             count_of(size.hash_functions, "hash function") + " for " +
                             count_of(options.expected, "element") + " at " +
                             format_rate(options.false_positive_rate) + "\n";
    if (size.for_peers()) return text;
    return text +
           "It is no filter for a peer: BIP37 allows 36,000 bytes and 50 functions. filter add and "
           "filter match take it.\n";
}

/// Adds elements one by one, and counts the elements.
class Adder {
public:
    Adder(const FilterAddOptions& options, const chain::NetworkParams& network, FilterFile& filter)
        : options_(options), network_(network), filter_(filter) {}

    void add(std::string_view text, const std::string& where) {
        const auto element = options_.as_texts ? text_element(text) : parse_element(text, network_);
        if (!element) {
            throw CommandError(ExitStatus::failed, "bad-element",
                               where + describe(text, element.error()) + what_stays());
        }
        ++(filter_.insert(*element) ? added_ : present_);
    }

    std::uint64_t added() const { return added_; }
    std::uint64_t present() const { return present_; }

private:
    std::string what_stays() const {
        if (!filter_.is_large()) return "; nothing was added";
        return "; the elements before it were added: " + format_count(added_ + present_);
    }

    const FilterAddOptions& options_;
    const chain::NetworkParams& network_;
    FilterFile& filter_;
    std::uint64_t added_ = 0;
    std::uint64_t present_ = 0;
};

void add_lines(Adder& adder, std::istream& in) {
    ElementLines lines([&adder](std::uint64_t number, std::string_view text) {
        if (!text.empty()) adder.add(text, "line " + std::to_string(number) + ": ");
    });
    read_pieces(in, [&lines](std::string_view piece) { lines.take(piece); });
    lines.finish();
}

}  // namespace

void run_filter_create(const FilterCreateOptions& options, const GlobalOptions& global,
                       Console& console) {
    const auto size = bloom::general_size(options.expected, options.false_positive_rate);
    if (const auto for_peers = size.for_peers()) {
        create_peer_filter(options.file, *for_peers);
    } else {
        make_user_file(options.file, [&options] {
            bloom::LargeFilterFile::create(options.file, options.expected,
                                           options.false_positive_rate);
        });
    }
    console.out() << (global.json ? to_line(create_json(options, size)) + "\n"
                                  : create_text(options, size));
}

void run_filter_add(const FilterAddOptions& options, const GlobalOptions& global,
                    Console& console) {
    FilterFile filter(options.file);
    Adder adder(options, *global.network, filter);
    for (const std::string& text : options.elements) adder.add(text, "");
    if (options.from_stdin) add_lines(adder, console.in());
    filter.save();

    const double rate = filter.false_positive_rate();
    if (global.json) {
        return console.print_json({{"file", options.file.string()},
                                   {"for_peers", !filter.is_large()},
                                   {"added", adder.added()},
                                   {"present", adder.present()},
                                   {"fpr_actual", rate}});
    }
    console.prose() << "added " << count_of(adder.added(), "element") << "; "
                    << format_count(adder.present()) << (adder.present() == 1 ? " was" : " were")
                    << " in it already, or matched by chance\n";
    console.info("an element that is not in the filter matches with probability " +
                 format_rate(rate));
}

}  // namespace petal::cli
