/// Runs a fuzz target once on the empty input and on every file of the given folders, so that each
/// seed and every input that ever failed is an ordinary test, with any compiler.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

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

void replay(const std::string& input) {
    // A copy of exactly this size on the heap, so that AddressSanitizer sees a read past its end.
    const std::vector<std::uint8_t> bytes(input.begin(), input.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argument_count, char** arguments) {
    replay({});
    std::size_t replayed = 1;
    for (int i = 1; i < argument_count; ++i) {
        const std::filesystem::path folder = arguments[i];
        if (!std::filesystem::is_directory(folder)) {
            std::fprintf(stderr, "error: no seeds: %s is not a folder\n", folder.c_str());
            return 1;
        }
        for (const auto& path : files_in(folder)) {
            std::printf("%s\n", path.filename().c_str());
            std::fflush(stdout);
            replay(read_file(path));
            ++replayed;
        }
    }
    std::printf("%zu inputs replayed\n", replayed);
    return 0;
}
