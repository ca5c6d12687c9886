/// Header files with changed bytes, and with any files beside them: they are refused, or repaired
/// into a file that loads completely.
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/headers/header_file.h"
#include "chain/headers/proof_of_work.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace petal::chain;
namespace fs = std::filesystem;

constexpr std::int64_t kNow = 2'000'000'000;
constexpr std::uint32_t kHeaders = 40;
constexpr std::uint32_t kRecordsPerIndex = 16;

/// A header file, and the files that may exist beside it.
constexpr std::array kNames{"headers", "headers.index", "headers.pending", "headers.lower"};

const NetworkParams& regtest() {
    return *find_network("regtest");
}

std::vector<BlockHeader> mine() {
    std::vector<BlockHeader> headers;
    BlockHeader parent = regtest().genesis;
    while (headers.size() < kHeaders) {
        BlockHeader header{1, parent.hash(), {}, parent.time + 1, parent.bits, 0};
        while (!meets_target(header.hash(), regtest().pow_limit)) ++header.nonce;
        headers.push_back(header);
        parent = header;
    }
    return headers;
}

HeaderFileOptions options() {
    HeaderFileOptions options;
    options.records_per_index = kRecordsPerIndex;
    return options;
}

/// The intact files of kNames: with an index and with pending headers, and without a lower file.
using Files = std::array<std::string, kNames.size()>;

Files make_files(const fs::path& folder) {
    const auto headers = mine();
    const std::span all(headers);
    HeaderChain chain{regtest()};
    HeaderFile file{folder / kNames[0], chain, kNow, options()};
    chain.accept(all.first(kHeaders - 4), kNow);
    file.flush();
    {
        HeaderChain other_chain{regtest()};
        HeaderFile other{folder / kNames[0], other_chain, kNow, options()};
        other_chain.accept(all, kNow);
        other.flush();
    }
    Files files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const fs::path path = folder / kNames[i];
        if (fs::exists(path)) files[i] = petal::test::file_text(path);
    }
    return files;
}

/// The change that the input makes to a file: it is removed, cut, replaced by bytes of the input,
/// or changed in places.
void change(std::string& file, ByteReader& input) {
    const std::uint8_t what = input.read_u8();
    if (what % 8 == 1) file.clear();
    if (what % 8 == 2) file.erase(file.size() - input.read_u16() % (file.size() + 1));
    if (what % 8 == 3) {
        const auto bytes =
            input.read_view(std::min<std::size_t>(input.read_u16(), input.remaining()));
        file.assign(bytes.begin(), bytes.end());
    }
    for (int i = 0; i < what / 8 && !file.empty() && input.remaining() >= 3; ++i) {
        char& byte = file[input.read_u16() % file.size()];
        byte = static_cast<char>(static_cast<std::uint8_t>(byte) ^ input.read_u8());
    }
}

void write(const fs::path& folder, const Files& files) {
    for (const auto& entry : fs::directory_iterator(folder)) fs::remove(entry.path());
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].empty()) continue;
        std::ofstream(folder / kNames[i], std::ios::binary) << files[i];
    }
}

/// Reads every header, which detects damage that the index has hidden. Returns the height of the
/// tip, or nothing if there is damage.
void look_at_all(const HeaderChain& chain) {
    for (std::uint32_t height = chain.root().height; height <= chain.tip().height; ++height) {
        assert(chain.header_at(height).hash() == chain.hash_at(height));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const petal::test::TemporaryFolder folder;
    static const Files intact = make_files(folder.path());
    Files files = intact;
    ByteReader input{{data, size}};
    for (std::string& file : files) change(file, input);
    write(folder.path(), files);
    const fs::path path = folder.path() / kNames[0];

    BlockRef tip;
    for (int opened = 0;; ++opened) {
        assert(opened < 4);  // damage that was found is cut off
        try {
            HeaderChain chain{regtest()};
            HeaderFile file{path, chain, kNow, options()};
            assert(!file.read_only());
            look_at_all(chain);
            tip = chain.tip();
            file.flush();
            break;
        } catch (const HeaderFileDamaged&) {
            continue;
        } catch (const HeaderFileError&) {
            return 0;
        }
    }
    HeaderChain chain{regtest()};
    const HeaderFile file{path, chain, kNow, options()};
    look_at_all(chain);
    assert(chain.tip() == tip && file.repaired_bytes() == 0);
    return 0;
}
