#include "cli/psbt/psbt_input.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "cli/files/user_file.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"
#include "wallet/psbt/record_types.h"

namespace petal::cli {
namespace {

/// In base64 and UTF-16, with some white space.
constexpr std::size_t kMaxPsbtText = wallet::kMaxPsbtBytes * 3;
constexpr std::size_t kMaxTogether = wallet::kMaxPsbtBytes * 3 / 2;

/// The content, or one byte more than the limit.
std::string read_content(const std::string& file, Console& console) {
    std::error_code ignored;
    if (file.starts_with(kPsbtInBase64) && !std::filesystem::exists(file, ignored)) {
        throw usage_error(
            "a PSBT is read from a file, or with - from standard input; "
            "it can't be an argument itself");
    }
    return UserInput(file, console).read_at_most(kMaxPsbtText + 1);
}

std::string file_name(const std::string& file) {
    return file == kStandardStream ? "standard input" : printable(file);
}

/// Whether all extended keys in a PSBT are of this network.
bool is_of_network(const wallet::Psbt& psbt, const chain::NetworkParams& network) {
    return std::ranges::all_of(
        psbt.global().all(wallet::psbt_global::kXpub), [&](const wallet::PsbtRecord* record) {
            const chain::ByteView version = record->key_data().first(4);
            const std::uint32_t number = static_cast<std::uint32_t>(version[0]) << 24 |
                                         static_cast<std::uint32_t>(version[1]) << 16 |
                                         static_cast<std::uint32_t>(version[2]) << 8 | version[3];
            return number == network.xpub_version;
        });
}

}  // namespace

chain::Expected<wallet::Psbt, std::string> parse_psbt(std::string_view content) {
    if (content.size() > kMaxPsbtText) return chain::Unexpected(std::string("it is too large"));
    chain::Bytes bytes(chain::as_bytes(content).begin(), chain::as_bytes(content).end());
    if (!wallet::is_psbt(bytes)) {
        const auto text = text_of(content);
        if (!text) {
            return chain::Unexpected("it is no binary PSBT, and " +
                                     std::string(describe(text.error())));
        }
        auto decoded = chain::from_base64(*text);
        if (!decoded) {
            return chain::Unexpected(std::string("it is neither a binary PSBT nor base64"));
        }
        bytes = *std::move(decoded);
    }
    auto psbt = wallet::Psbt::parse(bytes);
    if (!psbt) return chain::Unexpected(wallet::describe(psbt.error()));
    return *std::move(psbt);
}

void check_standard_input_once(const std::vector<std::string>& files) {
    if (std::ranges::count(files, kStandardStream) > 1) {
        throw usage_error("standard input can be read only once");
    }
}

std::vector<wallet::Psbt> psbts_from_files(const std::vector<std::string>& files,
                                           const GlobalOptions& global, Console& console) {
    check_standard_input_once(files);
    std::vector<wallet::Psbt> psbts;
    std::size_t bytes = 0;
    for (const std::string& file : files) {
        const std::string content = read_content(file, console);
        bytes += content.size();
        if (bytes > kMaxTogether && files.size() > 1) {
            throw CommandError(ExitStatus::failed, "bad-psbt",
                               "the PSBTs are too large together, up to " + file_name(file));
        }
        auto psbt = parse_psbt(content);
        if (!psbt) {
            throw CommandError(ExitStatus::failed, "bad-psbt",
                               file_name(file) + ": this is no PSBT: " + psbt.error());
        }
        if (!is_of_network(*psbt, *global.network)) {
            throw CommandError(ExitStatus::failed, "wrong-network",
                               file_name(file) + ": this PSBT is not of " + global.network->name);
        }
        psbts.push_back(*std::move(psbt));
    }
    return psbts;
}

wallet::Psbt psbt_from_file(const std::string& file, const GlobalOptions& global,
                            Console& console) {
    return std::move(psbts_from_files({file}, global, console).front());
}

}  // namespace petal::cli
