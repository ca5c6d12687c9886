/// The log of petal-bitcoind.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "chain/files/file_descriptor.h"
#include "cli/regtest/event_stream.h"

namespace petal::cli {

/// Appends lines to debug.log and to standard output, each with the time (UTC). From any thread. A
/// reader of standard output that does not read delays nothing.
class DebugLog {
public:
    /// file      empty: no file. Throws InitError if the file can't be opened
    /// console   also writes to standard output
    DebugLog(const std::filesystem::path& file, bool console);

    void write(const std::string& line);
    /// A message while the node starts, which programs wait for.
    void init_message(const std::string& message) { write("init message: " + message); }

private:
    std::mutex mutex_;
    std::filesystem::path path_;
    std::optional<chain::FileDescriptor> file_;
    std::optional<EventStream> console_;
};

}  // namespace petal::cli
