/// The input and output streams of a command.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "chain/files/file_descriptor.h"
#include "cli/terminal/log_level.h"
#include "cli/terminal/prose_stream.h"

namespace petal::cli {

/// Standard input, output and error, and their properties. Results go to `out`. Progress, warnings
/// and logs go to `err`.
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
    /// For data: JSON, hex, tables, words to write down. Data is written unchanged.
    std::ostream& out();
    /// Writes a line of JSON (to_line()) to `out`.
    void print_json(const nlohmann::ordered_json& json);
    /// Standard output for prose. On a terminal, lines are broken between words to fit the width.
    std::ostream& prose();
    std::ostream& err() { return err_; }
    const Terminals& terminals() const { return terminals_; }

    /// The number of columns of standard output. kNoLimit without a terminal. If the terminal does
    /// not tell the number: COLUMNS, else 80.
    std::size_t out_columns() const;
    /// The same for standard error.
    std::size_t err_columns() const;

    LogLevel log_level() const { return log_level_; }
    void set_log_level(LogLevel level) { log_level_ = level; }
    /// Each message is made printable(), without private keys and mnemonics. Each message is one
    /// line, broken between words on a terminal.
    void warn(std::string_view message) { write(LogLevel::warning, "warning: ", message); }
    void info(std::string_view message) { write(LogLevel::info, "", message); }
    void debug(std::string_view message) { write(LogLevel::debug, "debug: ", message); }

    /// Also appends messages and errors to this file, with the time (UTC). A new file is readable
    /// by the owner only (0600). Throws CommandError if the file can't be opened. If a later write
    /// fails, the log ends with a warning on standard error.
    void open_log_file(const std::filesystem::path& file);
    bool has_log_file() const { return log_file_ != nullptr; }
    /// The last line of a failed command.
    void error(std::string_view message) { write(LogLevel::error, "error: ", message); }

    /// The text in bold for standard output. Plain without a terminal.
    std::string bold(std::string_view text) const { return styled(text, "1"); }
    std::string green(std::string_view text) const { return styled(text, "32"); }

    bool colours_out() const { return terminals_.out && !no_colour_; }
    bool colours_err() const { return terminals_.err && !no_colour_; }

    /// Flushes standard output. Throws CommandError if the write fails, with `consequence` after
    /// the reason.
    void flush_out(std::string_view consequence = {});

private:
    void write(LogLevel level, std::string_view prefix, std::string_view message);
    void write_log(const std::string& line);
    std::string styled(std::string_view text, std::string_view code) const;

    std::istream& in_;
    std::ostream& out_;
    std::ostream& err_;
    Terminals terminals_;
    bool no_colour_;
    LogLevel log_level_ = LogLevel::warning;
    std::shared_ptr<ProseStream> prose_;                     ///< null if `out_` is no terminal
    std::shared_ptr<const chain::FileDescriptor> log_file_;  ///< null for none
    std::filesystem::path log_path_;
};

/// Whether the locale of the environment (LC_ALL, else LC_CTYPE, else LANG) uses UTF-8.
bool has_utf8_locale();

/// Reads up to the end of the stream, but at most `max_bytes`. A caller that has a limit asks for
/// one byte more, to notice a longer text.
std::string read_at_most(std::size_t max_bytes, std::istream& stream);

}  // namespace petal::cli
