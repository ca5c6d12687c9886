// Files of large filters, arbitrary or changed, and with right checks: they are refused and left
// unchanged, or hold what is inserted, also when they are opened again. The first byte says whether
// the check of the header is made right; the others are the file.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "bloom/large_filter_file.h"
#include "chain/hash.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace petal;
using bloom::LargeFilterFile;
using Access = LargeFilterFile::Access;

constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kCheckBytes = 8;

void make_check_right(std::string& content) {
    if (content.size() < kHeaderBytes) return;
    const auto hash = chain::sha256(chain::as_bytes(content).first(kHeaderBytes - kCheckBytes));
    std::copy_n(hash.begin(), kCheckBytes, content.begin() + kHeaderBytes - kCheckBytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::TemporaryFolder folder;
    static const std::filesystem::path file = folder.path() / "filter";
    if (size == 0) return 0;
    std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] % 2 == 1) make_check_right(content);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;

    const chain::ByteView element = chain::as_bytes("element");
    {
        auto opened = LargeFilterFile::open(file, Access::add);
        if (!opened) {
            assert(!describe(opened.error()).empty());
            assert(test::file_text(file) == content);
            return 0;
        }
        assert(opened->filter().size().bits / 8 + kHeaderBytes == content.size());
        const bool was_in_it = opened->filter().contains(element);
        assert(opened->insert(element) != was_in_it);
        assert(!opened->insert(element));
    }
    const auto again = LargeFilterFile::open(file, Access::read);
    assert(again && again->filter().contains(element));
    const double rate = again->filter().false_positive_rate();
    assert(rate > 0 && rate <= 1);
    const std::string changed = test::file_text(file);
    assert(std::equal(content.begin(), content.begin() + kHeaderBytes, changed.begin()));
    for (std::size_t i = kHeaderBytes; i < content.size(); ++i) {
        assert((content[i] & changed[i]) == content[i]);  // no bit was cleared
    }
    return 0;
}
