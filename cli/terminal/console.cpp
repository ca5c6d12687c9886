#include "cli/terminal/console.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <system_error>

#include "chain/bytes.h"
#include "chain/files/write_all.h"
#include "cli/terminal/wrap.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "net/io/clocks.h"
#include "net/io/signals.h"
#include "wallet/keys/secret_text.h"

namespace petal::cli {
namespace {

std::string unwritable_log(const std::filesystem::path& file, const std::string& why) {
    return "cannot write the log to " + printable(file.string()) + ": " + why;
}

/// The columns of the terminal that a descriptor belongs to.
std::size_t terminal_columns(int descriptor) {
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    constexpr std::size_t kUsual = 80;
    constexpr std::size_t kMost = 10'000;
    const char* const named = std::getenv("COLUMNS");
    const auto columns = chain::parse_number<std::size_t>(named == nullptr ? "" : named);
    return columns && *columns > 0 && *columns <= kMost ? *columns : kUsual;
}

}  // namespace

Console::Console(std::istream& in, std::ostream& out, std::ostream& err, Terminals terminals,
                 bool no_colour)
    : in_(in), out_(out), err_(err), terminals_(terminals), no_colour_(no_colour) {
    if (!terminals.out) return;
    prose_ = std::make_shared<ProseStream>(out, [] { return terminal_columns(STDOUT_FILENO); });
}

Console Console::of_process() {
    const Terminals terminals{isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
                              isatty(STDERR_FILENO) == 1};
    const char* no_colour = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    const bool plain = (no_colour != nullptr && *no_colour != '\0') || term == nullptr ||
                       std::string_view(term) == "dumb";
    return {std::cin, std::cout, std::cerr, terminals, plain};
}

bool has_utf8_locale() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        std::string locale(value);
        for (char& c : locale) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return locale.find("utf-8") != std::string::npos ||
               locale.find("utf8") != std::string::npos;
    }
    return false;
}

std::ostream& Console::out() {
    if (prose_) prose_->end_line();
    return out_;
}

void Console::print_json(const Json& json) {
    out() << to_line(json) << '\n';
}

std::ostream& Console::prose() {
    return prose_ ? *prose_ : out_;
}

std::size_t Console::out_columns() const {
    return terminals_.out ? terminal_columns(STDOUT_FILENO) : kNoLimit;
}

std::size_t Console::err_columns() const {
    return terminals_.err ? terminal_columns(STDERR_FILENO) : kNoLimit;
}

void Console::flush_out(std::string_view consequence) {
    if (out().flush()) return;
    const std::string text =
        "cannot write to standard output" +
        (consequence.empty() ? std::string() : "; " + std::string(consequence));
    if (net::is_stop_requested()) {
        throw CommandError(ExitStatus::interrupted, "interrupted", "interrupted: " + text);
    }
    throw CommandError(ExitStatus::failed, "output", text);
}

void Console::write(LogLevel level, std::string_view prefix, std::string_view message) {
    if (level > log_level_) return;
    const std::string text = printable(wallet::without_secrets(message), kMaxShown);
    const std::string line = std::string(prefix) + text + '\n';
    if (log_file_) write_log(line);
    err_ << wrap(line, err_columns()) << std::flush;
}

void Console::write_log(const std::string& line) {
    const std::string dated = format_iso_time(net::unix_time_now()) + ' ' + line;
    try {
        chain::write_all(*log_file_, chain::as_bytes(dated), log_path_);
    } catch (const std::system_error& error) {
        log_file_.reset();
        err_ << "warning: " + unwritable_log(log_path_, error.code().message()) +
                    "; it ends here\n";
    }
}

void Console::open_log_file(const std::filesystem::path& file) {
    const auto unwritable = [&file](const std::string& why) {
        return CommandError(ExitStatus::failed, "unwritable-file", unwritable_log(file, why));
    };
    try {
        // Without O_NONBLOCK, a FIFO without a reader would block petal when petal opens the FIFO,
        // and again when the FIFO is full.
        constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
        auto opened = std::make_shared<const chain::FileDescriptor>(file, kFlags);
        struct stat status {};
        const bool is_fifo = ::fstat(opened->number(), &status) == 0 && S_ISFIFO(status.st_mode);
        if (is_fifo) std::signal(SIGPIPE, SIG_IGN);  // the FIFO's reader may end first
        log_file_ = std::move(opened);
        log_path_ = file;
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::too_many_symbolic_link_levels) {
            throw unwritable("it is a symbolic link");
        }
        const bool lacks_reader = error.code() == std::errc::no_such_device_or_address;
        throw unwritable(lacks_reader ? "no process reads this FIFO" : error.code().message());
    }
}

std::string Console::styled(std::string_view text, std::string_view code) const {
    if (!colours_out()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string read_at_most(std::size_t max_bytes, std::istream& stream) {
    constexpr std::size_t kPiece = 65'536;
    std::string text;
    while (stream && text.size() < max_bytes) {
        const std::size_t start = text.size();
        const std::size_t wanted = std::min(kPiece, max_bytes - start);
        text.resize(start + wanted);
        stream.read(text.data() + start, static_cast<std::streamsize>(wanted));
        text.resize(start + static_cast<std::size_t>(stream.gcount()));
    }
    return text;
}

}  // namespace petal::cli
