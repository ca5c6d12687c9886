#include "cli/secrets/secret_input.h"

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "cli/options/confirmation.h"
#include "cli/terminal/wrap.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"
#include "net/io/signals.h"
#include "wallet/keys/normal_form.h"

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

    /// Appends the bytes of the next read. Returns the number of bytes, 0 at the end, -1 with errno
    /// on failure.
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

/// Converts a text that begins with a byte order mark, which some editors write. Any other content
/// stays unchanged, because a password may be any bytes.
std::optional<TextFault> decode_marked(wallet::SecretString& text) {
    if (!has_byte_order_mark(text)) return std::nullopt;
    TextDecoder decoder;
    wallet::SecretString decoded;
    decoded.reserve(2 * text.size() + wallet::SecretArray<16>::size());
    auto fault = decoder.take(text, decoded);
    if (!fault) fault = decoder.finish(decoded);
    if (!fault) text = std::move(decoded);
    return fault;
}

// A signal handler can access only static data.
termios terminal_before;
termios terminal_silent;
std::array<char, 160> question_asked;
volatile std::size_t question_bytes;
std::array<char, 320> interruption_told;
volatile std::size_t interruption_bytes;
constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// TCSAFLUSH also drops earlier input, which may have been visible.
void set_terminal(const termios& mode, int when = TCSAFLUSH) {
    while (tcsetattr(STDIN_FILENO, when, &mode) != 0 && errno == EINTR) {
    }
}

void ask() {
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, question_asked.data(), question_bytes);
}

/// The cursor of the terminal is still in the line of the question.
void end_line() {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, "\n", 1);
}

void restore_terminal_and_exit(int) {
    set_terminal(terminal_before);
    end_line();
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, interruption_told.data(), interruption_bytes);
    _exit(static_cast<int>(ExitStatus::interrupted));
}

// A shell that continues the process leaves the echo on, as at the shell's own prompt.
void silence_and_ask_again(int) {
    const int error_before = errno;
    set_terminal(terminal_silent);
    ask();
    errno = error_before;
}

void restore_terminal_and_stop(int) {
    const int error_before = errno;
    set_terminal(terminal_before);
    struct sigaction own {};
    struct sigaction stop {};
    stop.sa_handler = SIG_DFL;
    sigaction(SIGTSTP, &stop, &own);
    raise(SIGTSTP);
    sigset_t suspend;
    sigset_t mask_before;
    sigemptyset(&suspend);
    sigaddset(&suspend, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &suspend, &mask_before);  // the process stops here until SIGCONT
    sigprocmask(SIG_SETMASK, &mask_before, nullptr);
    sigaction(SIGTSTP, &own, nullptr);
    // TCSANOW keeps typed input: the process may not have stopped at all (without a shell to
    // continue it), or the answer to the repeated question may have arrived.
    set_terminal(terminal_silent, TCSANOW);
    errno = error_before;
}

/// Replaces the default action by a handler during its lifetime. An ignored signal stays ignored.
class ScopedHandler {
public:
    ScopedHandler(int signal, void (*handler)(int)) : signal_(signal) {
        struct sigaction action {};
        action.sa_handler = handler;
        sigaction(signal, nullptr, &before_);
        if (!net::is_ignored(signal)) sigaction(signal, &action, nullptr);
    }
    ~ScopedHandler() { sigaction(signal_, &before_, nullptr); }
    ScopedHandler(const ScopedHandler&) = delete;
    ScopedHandler& operator=(const ScopedHandler&) = delete;

private:
    int signal_;
    struct sigaction before_ {};
};

/// Asks, and hides the typed text, even if the user interrupts petal, or suspends and continues
/// petal.
class HiddenQuestion {
public:
    /// consequence   what a signal that ends petal leaves, as the end of a sentence
    HiddenQuestion(std::string_view question, std::string_view consequence,
                   const Console& console) {
        const std::string asked = wrap(printable(question, 150), console.err_columns()) + ": ";
        question_bytes = asked.copy(question_asked.data(), question_asked.size());
        const std::string told = wrap("error: interrupted; " + printable(consequence, 250) + "\n",
                                      console.err_columns());
        interruption_bytes = told.copy(interruption_told.data(), interruption_told.size());
        if (tcgetattr(STDIN_FILENO, &terminal_before) == 0) {
            terminal_silent = terminal_before;
            terminal_silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
            terminal_silent.c_lflag |= ECHONL;
            for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
                handlers_[i].emplace(kEndingSignals[i], restore_terminal_and_exit);
            }
            stop_.emplace(SIGTSTP, restore_terminal_and_stop);
            go_on_.emplace(SIGCONT, silence_and_ask_again);
            set_terminal(terminal_silent);
        }
        ask();  // last, because the answer may come at once
    }
    ~HiddenQuestion() {
        if (!stop_) return;
        go_on_.reset();
        stop_.reset();
        set_terminal(terminal_before);
    }
    HiddenQuestion(const HiddenQuestion&) = delete;
    HiddenQuestion& operator=(const HiddenQuestion&) = delete;

private:
    std::array<std::optional<ScopedHandler>, kEndingSignals.size()> handlers_;
    std::optional<ScopedHandler> stop_;
    std::optional<ScopedHandler> go_on_;
};

}  // namespace

bool is_typed(const SecretFile& file, const Console& console) {
    return file == "-" && console.terminals().in && console.terminals().err;
}

void refuse_two_readers(std::initializer_list<SecretFile> files) {
    if (std::ranges::count(files, SecretFile("-")) > 1) {
        throw usage_error("only one of the files can be standard input (-)");
    }
}

wallet::SecretString read_secret_file(const std::filesystem::path& file, std::string_view option,
                                      Console& console, std::size_t most) {
    if (is_typed(file, console)) return prompt_secret(option, console);

    const auto fail = [&](const std::string& why) {
        return CommandError(ExitStatus::failed, "unreadable-file",
                            "cannot read the file of " + std::string(option) + ": " + why);
    };
    const Input input(file);
    if (!input.is_open()) throw fail(std::strerror(errno));
    wallet::SecretString text;
    text.reserve(most + wallet::SecretArray<512>::size());
    ssize_t size = 1;
    while (size > 0 && text.size() <= most) size = input.read_some(text);
    if (size < 0) throw fail(std::strerror(errno));
    if (text.size() > most) throw fail("it is longer than " + format_count(most) + " bytes");
    if (const auto fault = decode_marked(text)) throw fail(std::string(describe(*fault)));
    drop_line_end(text);
    return text;
}

wallet::SecretString without_numbers(std::string_view typed) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const wallet::SecretString normal = wallet::normal_words(typed);
    std::string_view text = normal;
    wallet::SecretString words;
    words.reserve(text.size());
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        if (text.empty()) return words;
        std::string_view word = text.substr(0, text.find_first_of(kBlanks));
        text.remove_prefix(word.size());
        // The number of a list may be a word of its own (`3 word`) or not (`3.word`).
        word.remove_prefix(std::min(word.find_first_not_of("0123456789.):"), word.size()));
        if (word.empty()) continue;
        if (!words.empty()) words += ' ';
        words += word;
    }
}

namespace {

std::size_t count_words(std::string_view words) {
    return words.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(words, ' ')) + 1;
}

}  // namespace

wallet::SecretString prompt_words(std::string_view question, Console& console) {
    constexpr std::size_t kFewest = 12;
    constexpr std::size_t kMost = 24;
    console.err() << std::flush;
    const HiddenQuestion asked(question, kNothingDone, console);
    const Input input("-");
    wallet::SecretString text;
    text.reserve(kMaxSecretInput + wallet::SecretArray<512>::size());
    for (std::size_t line_begin = 0; text.size() <= kMaxSecretInput; line_begin = text.size()) {
        while (text.size() <= kMaxSecretInput && !text.ends_with('\n')) {
            if (input.read_some(text) > 0) continue;
            end_line();
            return without_numbers(text);
        }
        const auto line = without_numbers(std::string_view(text).substr(line_begin));
        const std::size_t all = count_words(without_numbers(text));
        // Twelve words may be the first row of 24 words, and pass the checksum by chance.
        if (line.empty() || all >= kMost) break;
        const bool may_be_all = all >= kFewest && all % 3 == 0;
        console.err() << "  " << count_of(all, "word")
                      << (may_be_all ? "; press Enter once more, or type the others" : "")
                      << std::endl;
        text += ' ';
    }
    return without_numbers(text);
}

std::optional<wallet::SecretString> try_prompt_secret(std::string_view question, Console& console,
                                                      std::string_view consequence) {
    console.err() << std::flush;
    const HiddenQuestion asked(question, consequence, console);
    const Input input("-");
    wallet::SecretString text;
    text.reserve(kMaxSecretInput + wallet::SecretArray<512>::size());
    while (text.size() <= kMaxSecretInput && !text.ends_with('\n')) {
        if (input.read_some(text) > 0) continue;
        end_line();
        if (!text.empty()) break;
        return std::nullopt;
    }
    drop_line_end(text);
    return text;
}

wallet::SecretString prompt_secret(std::string_view question, Console& console,
                                   std::string_view consequence) {
    auto secret = try_prompt_secret(question, console, consequence);
    if (secret) return *std::move(secret);
    throw CommandError(ExitStatus::failed, "no-answer", "no answer; " + std::string(consequence));
}

wallet::SecretString prompt_new_secret(std::string_view question, Console& console) {
    wallet::SecretString secret = prompt_secret(question, console);
    if (!secret.empty() && prompt_secret("The same again", console) != secret) {
        throw CommandError(ExitStatus::failed, "different-passwords",
                           "the two differ; nothing was done");
    }
    return secret;
}

namespace {

/// Empty for a wrong password.
std::optional<wallet::SecretBytes> try_password(const wallet::Wallet& wallet,
                                                const wallet::SecretString& password) {
    try {
        return wallet.secret(password);
    } catch (const wallet::WalletError& error) {
        if (error.kind() != wallet::WalletError::Kind::bad_password) throw;
        return std::nullopt;
    }
}

}  // namespace

wallet::SecretBytes unlock(const wallet::Wallet& wallet, const SecretFile& password_file,
                           const GlobalOptions& global, Console& console,
                           std::string_view consequence) {
    if (!wallet.info().encrypted) {
        auto secret = wallet.secret("");  // throws if the wallet has no secret
        if (password_file) throw usage_error("--password-file: the wallet is not encrypted");
        return secret;
    }
    constexpr int kAttempts = 3;
    std::optional<wallet::SecretBytes> secret;
    if (password_file) {
        secret = try_password(wallet, read_secret_file(*password_file, "--password-file", console));
    } else if (!can_ask(global, console)) {
        throw password_needed("--password-file");
    } else {
        secret = try_password(wallet, prompt_secret("Password", console, consequence));
        for (int attempt = 1; !secret && attempt < kAttempts; ++attempt) {
            const char* const question = "Wrong password; try again";
            secret = try_password(wallet, prompt_secret(question, console, consequence));
        }
    }
    if (secret) return *std::move(secret);
    throw CommandError(ExitStatus::wallet, "wrong-password",
                       "wrong password; " + std::string(consequence));
}

}  // namespace petal::cli
