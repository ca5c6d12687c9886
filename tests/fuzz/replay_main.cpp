/// Runs one of the fuzz targets once on the empty input and on every file of the given folders, so
/// that each seed and every input that ever failed is an ordinary test, with any compiler.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// CMake renames each target's LLVMFuzzerTestOneInput and lists the targets in fuzz_targets.inc.
#define PETAL_FUZZ_TARGET(name) \
    extern "C" int petal_fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef PETAL_FUZZ_TARGET

namespace {

using FuzzTarget = int (*)(const std::uint8_t* data, std::size_t size);

FuzzTarget find_target(std::string_view wanted) {
#define PETAL_FUZZ_TARGET(name) \
    if (wanted == #name) return petal_fuzz_##name;
#include "fuzz_targets.inc"
#undef PETAL_FUZZ_TARGET
    return nullptr;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void replay(FuzzTarget target, const std::string& input) {
    // A copy of exactly this size on the heap, so that AddressSanitizer sees a read past its end.
    const std::vector<std::uint8_t> bytes(input.begin(), input.end());
    target(bytes.data(), bytes.size());
}

}  // namespace

int main(int argument_count, char** arguments) {
    const FuzzTarget target = argument_count < 2 ? nullptr : find_target(arguments[1]);
    if (target == nullptr) {
        std::fprintf(stderr, "usage: %s TARGET [FOLDER]...\n", arguments[0]);
        return 2;
    }
    replay(target, {});
    std::size_t replayed = 1;
    for (int i = 2; i < argument_count; ++i) {
        const std::filesystem::path folder = arguments[i];
        if (!std::filesystem::is_directory(folder)) {
            std::fprintf(stderr, "error: no seeds: %s is not a folder\n", folder.c_str());
            return 1;
        }
        for (const auto& path : files_in(folder)) {
            std::printf("%s\n", path.filename().c_str());
            std::fflush(stdout);
            replay(target, read_file(path));
            ++replayed;
        }
    }
    std::printf("%zu inputs replayed\n", replayed);
    return 0;
}
