/// Runs one of the fuzz targets on the empty input and its seeds, so that every input that ever
/// failed is an ordinary test with any compiler. Then runs the target for some seconds on mutations
/// of the seeds, which are the same in every run. An input that fails is written to a file.
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "tests/support/file_content.h"

// CMake renames each target's LLVMFuzzerTestOneInput and lists the targets in fuzz_targets.inc.
#define PETAL_FUZZ_TARGET(name) \
    extern "C" int petal_fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef PETAL_FUZZ_TARGET

// Makes AddressSanitizer and UndefinedBehaviorSanitizer end with the signal that is handled here.
extern "C" const char* __asan_default_options() {
    return "abort_on_error=1";
}

namespace {

using FuzzTarget = int (*)(const std::uint8_t* data, std::size_t size);
using Input = std::vector<std::uint8_t>;

constexpr unsigned kSecondsForOne = 60;
constexpr std::size_t kMaxInputBytes = 20'000;

FuzzTarget find_target(std::string_view wanted) {
#define PETAL_FUZZ_TARGET(name) \
    if (wanted == #name) return petal_fuzz_##name;
#include "fuzz_targets.inc"
#undef PETAL_FUZZ_TARGET
    return nullptr;
}

// The input that the target runs on, and the file to which it is written if it fails.
Input present;
std::string failure_file;

void write_all(int file, const void* bytes, std::size_t size) {
    [[maybe_unused]] const auto written = ::write(file, bytes, size);
}

/// Uses only functions that are safe in a signal handler.
void on_failure(int signal_number) {
    const int file = ::open(failure_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    write_all(file, present.data(), present.size());
    constexpr std::string_view kNote = "the input that failed, or took too long, is in ";
    write_all(STDERR_FILENO, kNote.data(), kNote.size());
    write_all(STDERR_FILENO, failure_file.data(), failure_file.size());
    write_all(STDERR_FILENO, "\n", 1);
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

/// Does not replace handlers of AddressSanitizer.
void watch_for_failures() {
    for (const int signal_number : {SIGABRT, SIGALRM, SIGSEGV, SIGFPE, SIGILL}) {
        struct sigaction before {};
        ::sigaction(signal_number, nullptr, &before);
        if (before.sa_handler == SIG_DFL) std::signal(signal_number, on_failure);
    }
}

void run(FuzzTarget target, Input input) {
    // Without spare capacity, so that AddressSanitizer detects a read past the end.
    input.shrink_to_fit();
    present = std::move(input);
    ::alarm(kSecondsForOne);
    target(present.data(), present.size());
    ::alarm(0);
}

/// The seeds of a folder, one per file, or of a file, one line of base64 each.
void read_seeds(const std::filesystem::path& path, std::vector<Input>& seeds) {
    if (std::filesystem::is_directory(path)) {
        std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(path), {});
        std::sort(files.begin(), files.end());
        for (const auto& file : files) {
            seeds.push_back(petal::test::file_content(file));
        }
        return;
    }
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
        const auto seed = petal::chain::from_base64(line);
        if (!seed) throw std::runtime_error(path.string() + ": not base64");
        seeds.push_back(*seed);
    }
}

class Mutator {
public:
    explicit Mutator(const std::vector<Input>& seeds) : seeds_(seeds) {}

    Input next() {
        Input input = seeds_[below(seeds_.size())];
        for (std::size_t i = 0, changes = 1 + below(5); i < changes; ++i) change(input);
        input.resize(std::min(input.size(), kMaxInputBytes));
        return input;
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    std::uint8_t byte() {
        constexpr std::array<std::uint8_t, 8> kTelling{0, 1, 0x7f, 0x80, 0xff, 0xfd, 0xfe, ' '};
        return below(2) == 0 ? kTelling[below(kTelling.size())]
                             : static_cast<std::uint8_t>(random_());
    }

    void change(Input& input) {
        const std::size_t at = below(input.size() + 1);
        const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t count = std::min(input.size() - at, 1 + below(below(4) == 0 ? 64 : 4));
        const auto end = place + static_cast<std::ptrdiff_t>(count);
        switch (below(6)) {
            case 0:
                if (count > 0) *place ^= static_cast<std::uint8_t>(1U << below(8));
                return;
            case 1:
                if (count > 0) *place = byte();
                return;
            case 2:
                input.erase(place, end);
                return;
            case 3:
                input.insert(place, 1 + below(8), byte());
                return;
            case 4: {
                const Input piece(place, end);
                input.insert(input.begin() + static_cast<std::ptrdiff_t>(below(input.size() + 1)),
                             piece.begin(), piece.end());
                return;
            }
            default: {  // continues with the rest of another seed
                const Input& other = seeds_[below(seeds_.size())];
                const std::size_t from = std::min(at, other.size());
                input.resize(at);
                input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from),
                             other.end());
            }
        }
    }

    const std::vector<Input>& seeds_;
    std::mt19937_64 random_{1};
};

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argument_count, char** arguments) {
    const std::vector<std::string> words(arguments + 1, arguments + argument_count);
    const FuzzTarget target = words.empty() ? nullptr : find_target(words[0]);
    if (target == nullptr || words.size() < 2) {
        std::fprintf(stderr, "usage: %s TARGET SECONDS [FOLDER|FILE]...\n", arguments[0]);
        return 2;
    }
    failure_file = "failed-" + words[0];
    watch_for_failures();
    std::vector<Input> seeds{{}};
    for (std::size_t i = 2; i < words.size(); ++i) read_seeds(words[i], seeds);
    for (const Input& seed : seeds) run(target, seed);

    Mutator mutator(seeds);
    std::size_t mutations = 0;
    for (const double end = cpu_seconds() + std::stod(words[1]); cpu_seconds() < end; ++mutations) {
        run(target, mutator.next());
    }
    std::printf("%zu seeds and %zu mutations run\n", seeds.size(), mutations);
    return 0;
}
