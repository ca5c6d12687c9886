#include "cli/filter/report/filter_report.h"

#include <cerrno>
#include <fstream>
#include <ostream>
#include <system_error>

#include "cli/filter/input/filter_input.h"
#include "cli/filter/input/wallet_filter.h"
#include "cli/filter/measures/filter_json.h"
#include "cli/filter/report/report_page.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

void write_file(const std::filesystem::path& file, const std::string& content) {
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << content << std::flush;
    if (!stream) {
        throw CommandError(ExitStatus::failed, "unwritable-file",
                           "cannot write " + printable(file.string()) + ": " +
                               std::generic_category().message(errno));
    }
}

}  // namespace

void run_filter_report(const FilterReportOptions& options, const GlobalOptions& global,
                       Console& console) {
    bloom::InspectionContext context = context_of(options.assumptions);
    std::vector<NamedFilter> filters = named_filters_from(options.filters);
    if (options.wallet) {
        WalletFilter own = wallet_filter(global, options.privacy, options.awaited);
        if (!options.assumptions.used) context.used = own.used;
        context.truth = std::move(own.truth);
        filters.push_back({"the wallet's filter", std::move(own.filter)});
    }
    const std::string page = report_page(filters, context);
    write_file(options.output, page);
    if (global.json) {
        return console.print_json(
            {{"file", options.output.string()},
             {"bytes", page.size()},
             {"filters", filters.size()},
             {"names", names_json(filters)},
             {"verdict", verdict_json(bloom::judge(without_names(filters), context))}});
    }
    console.prose() << "wrote " << printable(options.output.string()) << ", "
                    << format_bytes(page.size()) << '\n';
}

}  // namespace petal::cli
