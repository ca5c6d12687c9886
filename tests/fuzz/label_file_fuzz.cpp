// Label files: an accepted file does not change when it is written and read again. The records of
// some are imported into a wallet, whose labels do not change when they are exported and imported
// again.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/backup/label_file.h"
#include "tests/support/mnemonic.h"
#include "tests/support/temporary_folder.h"
#include "wallet/label_exchange.h"
#include "wallet/ledger/records.h"
#include "wallet/wallet.h"

namespace {

using namespace petal;

void check_bounds(const wallet::LabelRecord& record) {
    assert(!record.type.empty() && record.type.size() <= wallet::kMaxLabelRefBytes);
    assert(!record.ref.empty() && record.ref.size() <= wallet::kMaxLabelRefBytes);
    assert(!record.label || record.label->size() <= wallet::kMaxLabelBytes);
    assert(!record.origin ||
           (!record.origin->empty() && record.origin->size() <= wallet::kMaxLabelOriginBytes));
    assert(!record.spendable || record.type == "output");
    assert(record.other_members.size() <= wallet::kMaxLabelMembersBytes);
}

wallet::Wallet open_new_wallet() {
    static const test::TemporaryFolder folder;
    static const std::filesystem::path made = [] {
        wallet::NewWallet wallet;
        wallet.mnemonic = test::kMnemonic;
        wallet.look_ahead = {2, 4};
        const auto file = folder.path() / "new";
        static_cast<void>(wallet::Wallet::create(file, *chain::find_network("regtest"), wallet));
        return file;
    }();
    const auto file = folder.path() / "wallet";
    std::filesystem::copy_file(made, file, std::filesystem::copy_options::overwrite_existing);
    return wallet::Wallet::open(file, *chain::find_network("regtest"), wallet::Access::change);
}

void import_into_wallet(const std::vector<wallet::LabelRecord>& records) {
    auto wallet = open_new_wallet();
    wallet::LabelExchange labels(wallet);
    const wallet::LabelImport result = labels.import(records);
    assert(result.own + result.kept <= records.size() && result.foreign <= result.kept);
    assert(result.frozen <= records.size() && result.unfrozen == 0);
    const auto exported = labels.export_all();
    for (const wallet::LabelRecord& record : exported) check_bounds(record);
    labels.import(exported);
    assert(labels.export_all() == exported);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view content(reinterpret_cast<const char*>(data), size);
    const auto file = cli::parse_label_file(content);
    if (!file) {
        const std::string reason = cli::describe(file.error());
        assert(!reason.empty() && reason.find('\n') == std::string::npos);
        const auto lines = static_cast<std::size_t>(std::ranges::count(content, '\n')) + 1;
        assert(file.error().line <= lines);
        return 0;
    }
    assert(file->named.size() == std::min(file->skipped, cli::LabelFile::kMostNamed));
    assert(file->skipped == 0 || file->records.size() + file->ignored > 0);
    assert(file->shortened <= file->records.size());
    std::string lines;
    for (const wallet::LabelRecord& record : file->records) {
        check_bounds(record);
        const auto line = cli::to_label_line(record);
        assert(line && line->find('\n') == std::string::npos);
        lines += *line + '\n';
    }
    // Escapes make some lines longer than the limit for reading; these are skipped.
    const auto again = cli::parse_label_file(lines);
    const bool has_long_line = again ? again->skipped > 0 : !lines.empty();
    if (has_long_line) {
        const auto error = again ? again->named.front() : again.error();
        assert(error.kind == cli::LabelFileError::Kind::line_too_long);
    } else {
        assert(again && again->records == file->records && again->shortened == 0);
    }
    // A wallet's file takes most of the time.
    if (size % 16 == 3) import_into_wallet(file->records);
    return 0;
}
