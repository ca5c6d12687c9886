#include "cli/bitcoind/debug_log.h"

#include <unistd.h>

#include <iostream>
#include <system_error>

#include "chain/bytes.h"
#include "chain/files/regular_file.h"
#include "chain/files/write_all.h"
#include "cli/bitcoind/init_error.h"
#include "net/io/clocks.h"
#include "regtest/front/log_lines.h"

namespace petal::cli {

DebugLog::DebugLog(const std::filesystem::path& file, bool console) : path_(file) {
    if (!file.empty()) {
        try {
            file_ = chain::open_regular_file(file, O_WRONLY | O_CREAT | O_APPEND);
        } catch (const std::system_error& error) {
            throw InitError("Could not open debug log file " + file.string() + ": " +
                            error.code().message());
        }
    }
    if (console) console_.emplace(std::cout, STDOUT_FILENO);
}

void DebugLog::write(const std::string& line) {
    const std::string dated = regtest::front::log_time(net::unix_time_now()) + " " + line;
    const std::lock_guard lock(mutex_);
    if (console_) console_->push(dated);
    if (!file_) return;
    try {
        chain::write_all(*file_, chain::as_bytes(dated + "\n"), path_);
    } catch (const std::system_error&) {
        file_.reset();  // a full disk ends the log, and not the node
    }
}

}  // namespace petal::cli
