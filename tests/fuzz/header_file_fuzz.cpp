/// Header files of arbitrary bytes: refused, or repaired into a file that loads whole.
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>

#include "chain/header_file.h"

namespace {

using namespace petal::chain;

constexpr std::int64_t kNow = 2'000'000'000;

// A file in memory, opened by its path.
class MemoryFile {
public:
    explicit MemoryFile(ByteView bytes) : descriptor_(::memfd_create("headers", 0)) {
        assert(descriptor_ >= 0);
        [[maybe_unused]] const auto written = ::write(descriptor_, bytes.data(), bytes.size());
        assert(written == static_cast<ssize_t>(bytes.size()));
    }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
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
