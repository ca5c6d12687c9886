/// Header files of arbitrary bytes: refused, or repaired into a file that loads whole.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "chain/headers/header_file.h"

namespace {

using namespace petal::chain;

constexpr std::int64_t kNow = 2'000'000'000;

// A file in memory, in a folder of its own.
class MemoryFile {
public:
    explicit MemoryFile(ByteView bytes) {
        std::string folder = "/dev/shm/petal-fuzz-XXXXXX";
        [[maybe_unused]] const char* const made = ::mkdtemp(folder.data());
        assert(made != nullptr);
        folder_ = folder;
        std::ofstream file(path(), std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    }
    ~MemoryFile() { std::filesystem::remove_all(folder_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::filesystem::path path() const { return folder_ / "headers"; }

private:
    std::filesystem::path folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemoryFile memory{{data, size}};
    BlockRef tip;
    try {
        HeaderChain chain{*find_network("regtest")};
        HeaderFile file{memory.path(), chain, kNow};
        assert(!file.read_only() && file.repaired_bytes() <= size);
        tip = chain.tip();
        file.flush();
    } catch (const HeaderFileError&) {
        return 0;
    }
    HeaderChain chain{*find_network("regtest")};
    const HeaderFile file{memory.path(), chain, kNow};
    assert(chain.tip() == tip && file.repaired_bytes() == 0);
    return 0;
}
