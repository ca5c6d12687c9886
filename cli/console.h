/// The input and output of a command.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "chain/files/file_descriptor.h"
#include "cli/options/options.h"

namespace petal::cli {

/// Standard input, output and error, and their properties. Results go to `out`; progress, warnings
/// and logs to `err`.
class Console {
public:
    struct Terminals {
        bool in = false;
        bool out = false;
        bool err = false;
    };

    /// The streams must outlive the console. With `no_colour`, no output is coloured.
    Console(std::istream& in, std::ostream& out, std::ostream& err, Terminals terminals,
            bool no_colour);

    /// The process's own streams, according to NO_COLOR (https://no-color.org) and TERM.
    static Console of_process();

    std::istream& in() { return in_; }
    std::ostream& out() { return out_; }
    std::ostream& err() { return err_; }
    const Terminals& terminals() const { return terminals_; }

    /// The number of columns of standard error; 80 if it is unknown.
    std::size_t err_columns() const;

    /// The number of columns of standard output; unlimited if it is not a terminal.
    std::size_t out_columns() const;

    LogLevel log_level() const { return log_level_; }
    void set_log_level(LogLevel level) { log_level_ = level; }
    /// Each message is made printable(), without private keys and mnemonics.
    void warn(std::string_view message) { log(LogLevel::warning, "warning: ", message); }
    void info(std::string_view message) { log(LogLevel::info, "", message); }
    void debug(std::string_view message) { log(LogLevel::debug, "debug: ", message); }

    /// Also appends messages and errors to this file, with the time (UTC). A new file is readable
    /// by its owner only (0600). Throws CommandError if it can't be opened. If it can't be written
    /// later, the log ends with a warning on standard error.
    void open_log_file(const std::filesystem::path& file);
    bool has_log_file() const { return log_file_ != nullptr; }
    /// The line with which a command ends that has failed.
    void error(std::string_view message);

    /// The text in bold for standard output, plain if that is not a terminal.
    std::string bold(std::string_view text) const { return styled(text, "1"); }
    std::string green(std::string_view text) const { return styled(text, "32"); }

    bool colours_out() const { return terminals_.out && !no_colour_; }
    bool colours_err() const { return terminals_.err && !no_colour_; }

    /// Flushes standard output. Throws CommandError if it can't be written, with `consequence`
    /// after the reason.
    void flush_out(std::string_view consequence = {});

private:
    void log(LogLevel level, std::string_view prefix, std::string_view message);
    void write(std::string_view prefix, std::string_view message);
    void write_log(const std::string& line);
    std::string styled(std::string_view text, std::string_view code) const;

    std::istream& in_;
    std::ostream& out_;
    std::ostream& err_;
    Terminals terminals_;
    bool no_colour_;
    LogLevel log_level_ = LogLevel::warning;
    std::shared_ptr<const chain::FileDescriptor> log_file_;  ///< null for none
    std::filesystem::path log_path_;
};

/// Whether the locale of the environment (LC_ALL, else LC_CTYPE, else LANG) is one of UTF-8.
bool has_utf8_locale();

/// Reads up to the end of the stream, but at most `max_bytes`. A caller that has a limit asks for
/// one byte more, to notice a longer text.
std::string read_at_most(std::size_t max_bytes, std::istream& stream);

}  // namespace petal::cli
