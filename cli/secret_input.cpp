#include "cli/secret_input.h"

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ostream>

#include "cli/command_error.h"

namespace petal::cli {
namespace {

/// A file descriptor of our own, or standard input, which stays open.
class Input {
public:
    explicit Input(const std::filesystem::path& file)
        : descriptor_(file == "-" ? STDIN_FILENO : open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~Input() {
        if (descriptor_ > STDIN_FILENO) close(descriptor_);
    }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    bool is_open() const { return descriptor_ >= 0; }

    /// Appends what the next read brings; 0 at the end, -1 with errno on failure.
    ssize_t read_some(wallet::SecretString& text) const {
        wallet::SecretArray<512> chunk;
        ssize_t size = -1;
        do {
            size = read(descriptor_, chunk.data(), chunk.size());
        } while (size < 0 && errno == EINTR);
        if (size > 0) {
            text.append(reinterpret_cast<const char*>(chunk.data()),
                        static_cast<std::size_t>(size));
        }
        return size;
    }

private:
    int descriptor_;
};

void drop_line_end(wallet::SecretString& text) {
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
}

// A signal handler can reach nothing but what is static.
termios terminal_before;
constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void restore_terminal_and_exit(int) {
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_before);
    _exit(static_cast<int>(ExitStatus::interrupted));
}

/// Keeps what is typed off the screen, also when the user interrupts.
class EchoOff {
public:
    EchoOff() {
        active_ = tcgetattr(STDIN_FILENO, &terminal_before) == 0;
        if (!active_) return;
        struct sigaction restore {};
        restore.sa_handler = restore_terminal_and_exit;
        for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
            sigaction(kEndingSignals[i], &restore, &actions_before_[i]);
        }
        termios silent = terminal_before;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        silent.c_lflag |= ECHONL;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    ~EchoOff() {
        if (!active_) return;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_before);
        for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
            sigaction(kEndingSignals[i], &actions_before_[i], nullptr);
        }
    }
    EchoOff(const EchoOff&) = delete;
    EchoOff& operator=(const EchoOff&) = delete;

private:
    bool active_ = false;
    std::array<struct sigaction, kEndingSignals.size()> actions_before_{};
};

}  // namespace

wallet::SecretString read_secret_file(const std::filesystem::path& file, std::string_view option,
                                      Console& console) {
    const bool asks = file == "-" && console.terminals().in && console.terminals().err;
    if (asks) return prompt_secret(option, console);

    const auto fail = [&](const std::string& why) {
        return CommandError(ExitStatus::failed, "unreadable-file",
                            "cannot read the file of " + std::string(option) + ": " + why);
    };
    const Input input(file);
    if (!input.is_open()) throw fail(std::strerror(errno));
    wallet::SecretString text;
    text.reserve(kMaxSecretInput + wallet::SecretArray<512>::size());
    ssize_t size = 1;
    while (size > 0 && text.size() <= kMaxSecretInput) size = input.read_some(text);
    if (size < 0) throw fail(std::strerror(errno));
    if (text.size() > kMaxSecretInput) throw fail("it is longer than 4,096 bytes");
    drop_line_end(text);
    return text;
}

wallet::SecretString prompt_secret(std::string_view question, Console& console) {
    const EchoOff echo_off;  // before the question, which may be answered at once
    console.err() << question << ": " << std::flush;
    const Input input("-");
    wallet::SecretString text;
    text.reserve(kMaxSecretInput + wallet::SecretArray<512>::size());
    while (text.size() <= kMaxSecretInput && !text.ends_with('\n')) {
        if (input.read_some(text) <= 0) break;
    }
    drop_line_end(text);
    return text;
}

}  // namespace petal::cli
