/// Header files with changed bytes, and with any files beside them: they are refused, or repaired
/// into a file that loads completely and can grow.
///
/// The first byte of the input makes two choices:
/// - The file starts at the genesis block, or higher and has a lower file beside it.
/// - After the changes, the records' checksums are made anew or not. With new checksums, only the
///   contents of the records can show the changes.
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/headers/header_file.h"
#include "chain/headers/header_record.h"
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

const NetworkParams& regtest_params() {
    return *find_network("regtest");
}

const std::vector<BlockHeader>& all_headers() {
    static const std::vector<BlockHeader> headers = [] {
        std::vector<BlockHeader> mined;
        BlockHeader parent = regtest_params().genesis;
        while (mined.size() < kHeaders) {
            BlockHeader header{1, parent.hash(), {}, parent.time + 1, parent.bits, 0};
            while (!meets_target(header.hash(), regtest_params().pow_limit)) ++header.nonce;
            mined.push_back(header);
            parent = header;
        }
        return mined;
    }();
    return headers;
}

HeaderFileOptions options() {
    HeaderFileOptions options;
    options.records_per_index = kRecordsPerIndex;
    return options;
}

using Files = std::array<std::string, kNames.size()>;

void add_headers(const fs::path& folder, HeaderChain chain, std::size_t count) {
    HeaderFile file{folder / kNames[0], chain, kNow, options()};
    const std::size_t known = chain.tip().height;
    chain.accept(std::span(all_headers()).subspan(known, count - known), kNow);
    file.flush();
}

Files read_files(const fs::path& folder) {
    Files files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const fs::path path = folder / kNames[i];
        if (fs::exists(path)) files[i] = petal::test::file_text(path);
    }
    return files;
}

/// A file with an index and pending headers.
Files low_files(const fs::path& folder) {
    HeaderChain chain{regtest_params()};
    HeaderFile file{folder / kNames[0], chain, kNow, options()};
    chain.accept(std::span(all_headers()).first(kHeaders - 4), kNow);
    file.flush();
    add_headers(folder, HeaderChain{regtest_params()}, kHeaders);
    return read_files(folder);
}

/// A file that starts higher than the genesis block, with an index, and the file that is to replace
/// it.
Files high_files(const fs::path& folder) {
    constexpr std::uint32_t kStart = 8;
    const Anchor anchor{kStart, all_headers()[kStart - 1], 2 * (kStart + 1)};
    add_headers(folder, HeaderChain{regtest_params(), anchor}, kHeaders);
    add_headers(folder, HeaderChain{regtest_params()}, kHeaders / 2);
    return read_files(folder);
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

/// Makes the checks of a file's records anew.
void seal(std::string& file) {
    constexpr std::size_t kPreamble = HeaderRecord::kBytes;
    HeaderRecord::Check check{};
    for (std::size_t at = kPreamble; at + HeaderRecord::kBytes <= file.size();
         at += HeaderRecord::kBytes) {
        if (at == kPreamble) std::memcpy(check.data(), &file[at - check.size()], check.size());
        HeaderRecord record;
        std::memcpy(&record, &file[at], sizeof record);
        check = record.make_check(check, record.hash());
        record.set_check(check);
        std::memcpy(&file[at], &record, sizeof record);
    }
}

void write(const fs::path& folder, const Files& files) {
    for (const auto& entry : fs::directory_iterator(folder)) fs::remove(entry.path());
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].empty()) continue;
        std::ofstream(folder / kNames[i], std::ios::binary) << files[i];
    }
}

/// Reads every header, which detects damage that the index has hidden.
void look_at_all(const HeaderChain& chain) {
    for (std::uint32_t height = chain.root().height; height <= chain.tip().height; ++height) {
        assert(chain.header_at(height).hash() == chain.hash_at(height));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const petal::test::TemporaryFolder folder;
    static const petal::test::TemporaryFolder low_folder;
    static const petal::test::TemporaryFolder high_folder;
    static const Files low = low_files(low_folder.path());
    static const Files high = high_files(high_folder.path());
    ByteReader input{{data, size}};
    const std::uint8_t start = input.read_u8();
    Files files = (start & 1U) == 0 ? low : high;
    for (std::string& file : files) change(file, input);
    if ((start & 2U) != 0) {
        for (const std::size_t i : {0U, 3U}) seal(files[i]);
    }
    write(folder.path(), files);
    const fs::path path = folder.path() / kNames[0];

    BlockRef tip;
    for (int opened = 0;; ++opened) {
        assert(opened < 4);  // damage that was found is cut off
        try {
            HeaderChain chain{regtest_params()};
            HeaderFile file{path, chain, kNow, options()};
            assert(!file.read_only());
            look_at_all(chain);
            chain.accept(all_headers(), kNow);
            tip = chain.tip();
            file.flush();
            break;
        } catch (const HeaderFileDamaged&) {
            continue;
        } catch (const HeaderFileError&) {
            return 0;
        }
    }
    HeaderChain chain{regtest_params()};
    const HeaderFile file{path, chain, kNow, options()};
    look_at_all(chain);
    assert(chain.tip() == tip && file.repaired_bytes() == 0);
    return 0;
}
