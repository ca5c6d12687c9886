/// Long header files, which are opened with an index instead of being read.
#include "chain/headers/stored_headers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "chain/headers/header_file.h"
#include "chain/headers/locked_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_chain.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;

using test::kNow;

// Files of at least 16,384 headers have an index.
constexpr std::uint32_t kTrunkLength = 17'000;
constexpr std::uint32_t kForkHeight = 9'000;

// Mining these headers takes a moment, so it is done only once.
const std::vector<BlockHeader>& trunk() {
    static const auto headers = test::mine_headers(test::regtest_params().genesis, kTrunkLength);
    return headers;
}
const std::vector<BlockHeader>& branch() {
    static const auto headers = test::mine_headers(trunk()[kForkHeight - 1], 20, /*salt=*/1);
    return headers;
}

class StoredHeadersTest : public testing::Test {
protected:
    StoredHeadersTest() {
        path_ = folder_.path() / "headers";
        index_ = StoredHeaders::index_path(path_);
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{path_, chain, kNow};
        chain.accept(trunk(), kNow);
        chain.accept(branch(), kNow);
        file.flush();
    }

    static void flip(const fs::path& path, std::size_t byte) {
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekg(static_cast<std::streamoff>(byte));
        const char value = static_cast<char>(file.get() ^ 0x10);
        file.seekp(static_cast<std::streamoff>(byte));
        file.put(value);
    }
    // The offset of the record of the trunk's block at this height.
    static std::size_t record_at(std::uint32_t height) {
        return (1 + height) * HeaderRecord::kBytes;
    }

    static void expect_all(const HeaderChain& chain) {
        ASSERT_EQ(chain.tip(), (BlockRef{kTrunkLength, trunk().back().hash()}));
        ASSERT_EQ(chain.chainwork(), 2 * (kTrunkLength + 1));
        for (std::uint32_t height = 1; height <= kTrunkLength; height += 13) {
            const BlockHash hash = trunk()[height - 1].hash();
            ASSERT_EQ(chain.hash_at(height), hash);
            ASSERT_EQ(chain.header_at(height), trunk()[height - 1]);
            ASSERT_EQ(chain.height_of(hash), height);
        }
        ASSERT_EQ(chain.height_of(branch().back().hash()), kForkHeight + 20);
        ASSERT_EQ(chain.fork_point(branch().back().hash())->height, kForkHeight);
        ASSERT_EQ(chain.find(BlockHash{}), std::nullopt);
    }

    const test::TemporaryFolder folder_;
    fs::path path_;
    fs::path index_;
};

TEST_F(StoredHeadersTest, BringsEverythingBack) {
    ASSERT_TRUE(fs::exists(index_));
    HeaderChain chain{test::regtest_params()};
    const HeaderFile file{path_, chain, kNow};
    EXPECT_EQ(file.repaired_bytes(), 0U);
    expect_all(chain);
    EXPECT_EQ(chain.first_height_since(std::int64_t{trunk()[99].time} + 7200), 100U);
    EXPECT_EQ(chain.locator().back(), test::regtest_params().genesis.hash());
}

TEST_F(StoredHeadersTest, ReleasesTheLockWhileTheChainStillReadsTheFile) {
    HeaderChain chain{test::regtest_params()};
    { const HeaderFile file{path_, chain, kNow}; }
    HeaderChain other{test::regtest_params()};
    EXPECT_FALSE((HeaderFile{path_, other, kNow}.read_only()));
    expect_all(chain);
}

TEST_F(StoredHeadersTest, TakesAtMost150BytesAHeaderOnDisk) {
    EXPECT_LE(fs::file_size(path_) + fs::file_size(index_), 150 * std::size_t{kTrunkLength});
}

TEST_F(StoredHeadersTest, GrowsOnBothBranches) {
    {
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{path_, chain, kNow};
        const auto more = test::mine_headers(trunk().back(), 10);
        EXPECT_EQ(chain.accept(more, kNow).added, 10U);
        const auto rival = test::mine_headers(branch().back(), kTrunkLength, /*salt=*/2);
        const AcceptResult result = chain.accept(rival, kNow);
        EXPECT_EQ(result.move.fork, (BlockRef{kForkHeight, trunk()[kForkHeight - 1].hash()}));
        EXPECT_EQ(chain.tip(), (BlockRef{kForkHeight + 20 + kTrunkLength, rival.back().hash()}));
        file.flush();
        EXPECT_EQ(chain.hash_at(kForkHeight + 20), branch().back().hash())
            << "also after it is indexed";
        EXPECT_EQ(chain.hash_at(kForkHeight), trunk()[kForkHeight - 1].hash());
        EXPECT_FALSE(chain.is_on_best_chain(more.back().hash()));
    }
    HeaderChain chain{test::regtest_params()};
    const HeaderFile file{path_, chain, kNow};
    EXPECT_EQ(chain.tip().height, kForkHeight + 20 + kTrunkLength);
    EXPECT_EQ(chain.hash_at(kForkHeight + 5), branch()[4].hash());
    EXPECT_EQ(chain.height_of(trunk().back().hash()), kTrunkLength);
}

TEST_F(StoredHeadersTest, RebuildsALostOrCutIndex) {
    const auto size = fs::file_size(index_);
    for (const std::uintmax_t kept : {std::uintmax_t{0}, size / 2}) {
        SCOPED_TRACE(kept);
        fs::resize_file(index_, kept);
        HeaderChain chain{test::regtest_params()};
        const HeaderFile file{path_, chain, kNow};
        expect_all(chain);
        EXPECT_EQ(file.repaired_bytes(), 0U);
        EXPECT_EQ(fs::file_size(index_), size);
    }
}

TEST_F(StoredHeadersTest, DoesNotUseAnIndexOfAnotherFile) {
    const fs::path other = folder_.path() / "other";
    {
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{other, chain, kNow};
        chain.accept(branch(), kNow);
        chain.accept(trunk(), kNow);
        chain.accept(branch(), kNow);
        file.flush();
    }
    fs::rename(StoredHeaders::index_path(other), index_);
    HeaderChain chain{test::regtest_params()};
    const HeaderFile file{path_, chain, kNow};
    expect_all(chain);
}

TEST_F(StoredHeadersTest, DoesNotUseAnIndexLongerThanTheFile) {
    fs::resize_file(path_, record_at(5'000) + HeaderRecord::kBytes + 7);
    HeaderChain chain{test::regtest_params()};
    const HeaderFile file{path_, chain, kNow};
    EXPECT_EQ(chain.tip().height, 5'000U);
    EXPECT_EQ(file.repaired_bytes(), 7U);
}

TEST_F(StoredHeadersTest, NoticesAFlippedBitOnReadAndRefetchesTheRest) {
    for (const std::size_t byte : {0U, 40U, 79U, 80U, 111U, 112U, 116U, 120U, 124U}) {
        SCOPED_TRACE(byte);
        flip(path_, record_at(4'000) + byte);
        {
            HeaderChain chain{test::regtest_params()};
            const HeaderFile file{path_, chain, kNow};
            EXPECT_EQ(file.repaired_bytes(), 0U);
            EXPECT_EQ(chain.tip().height, kTrunkLength) << "the damage is not noticed yet";
            EXPECT_EQ(chain.header_at(3'999), trunk()[3'998]);
            EXPECT_THROW((void)chain.header_at(4'000), HeaderFileDamaged);
        }
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{path_, chain, kNow};
        EXPECT_EQ(chain.tip().height, 3'999U);
        EXPECT_GT(file.repaired_bytes(), 0U);
        chain.accept(trunk(), kNow);
        chain.accept(branch(), kNow);
        expect_all(chain);
        file.flush();
    }
}

// In a small index, small_store_test.cpp flips a bit of each byte.
TEST_F(StoredHeadersTest, NoticesAFlippedBitInTheLastPageOfSlots) {
    // Only the checksums are behind it, which take less than a page.
    constexpr std::size_t kPageBytes = 4096;
    const auto size = fs::file_size(index_);
    flip(index_, size - size % kPageBytes - kPageBytes / 2);
    try {
        HeaderChain chain{test::regtest_params()};
        const HeaderFile file{path_, chain, kNow};
        for (const BlockHeader& header : trunk()) ASSERT_TRUE(chain.find(header.hash()));
        ADD_FAILURE() << "the lookups read each page of slots";
    } catch (const HeaderFileDamaged& error) {
        EXPECT_EQ(std::string(error.what()),
                  path_.string() + " is damaged; the next sync downloads again what is lost");
    }
    HeaderChain chain{test::regtest_params()};
    const HeaderFile file{path_, chain, kNow};
    expect_all(chain);
    EXPECT_EQ(file.repaired_bytes(), 0U) << "the headers are intact";
}

TEST_F(StoredHeadersTest, ReaderLeavesADamagedFileAlone) {
    flip(path_, record_at(4'000));
    HeaderChain writing_chain{test::regtest_params()};
    const HeaderFile writer{path_, writing_chain, kNow};
    HeaderChain chain{test::regtest_params()};
    const HeaderFile reader{path_, chain, kNow};
    ASSERT_TRUE(reader.read_only());
    EXPECT_THROW((void)chain.header_at(4'000), HeaderFileDamaged);
    EXPECT_TRUE(fs::exists(index_));
    EXPECT_THROW((void)writing_chain.header_at(4'000), HeaderFileDamaged);
    EXPECT_FALSE(fs::exists(index_));
}

// Access to a removed part of a mapped file would end the process with SIGBUS.
TEST_F(StoredHeadersTest, ReaderKeepsWhatAnotherProcessCutsOff) {
    HeaderChain reading_chain{test::regtest_params()};
    std::optional<HeaderFile> reader;
    {
        const LockedFile other{path_};
        reader.emplace(path_, reading_chain, kNow);
        ASSERT_TRUE(reader->read_only());
    }
    flip(path_, record_at(4'000));
    {
        HeaderChain chain{test::regtest_params()};
        const HeaderFile writer{path_, chain, kNow};
        EXPECT_THROW((void)chain.header_at(4'000), HeaderFileDamaged);
    }
    HeaderChain chain{test::regtest_params()};
    const HeaderFile writer{path_, chain, kNow};
    EXPECT_FALSE(writer.read_only());
    EXPECT_EQ(chain.tip().height, 3'999U);
    EXPECT_EQ(fs::file_size(path_), record_at(4'000));
    EXPECT_EQ(reading_chain.header_at(kTrunkLength - 1), trunk()[kTrunkLength - 2]);
    EXPECT_EQ(reading_chain.height_of(trunk()[16'000].hash()), 16'001U);
    EXPECT_THROW((void)reading_chain.header_at(4'000), HeaderFileDamaged);
    HeaderChain next_chain{test::regtest_params()};
    EXPECT_TRUE((HeaderFile{path_, next_chain, kNow}.read_only())) << "the new file is locked";
}

TEST_F(StoredHeadersTest, RemovesAFileWithItsIndexUnlessLocked) {
    int called = 0;
    const auto remove = [&] { return HeaderFile::remove(path_, [&called] { ++called; }); };
    {
        const LockedFile other{path_};
        EXPECT_FALSE(remove());
        EXPECT_EQ(called, 0);
        EXPECT_TRUE(fs::exists(path_) && fs::exists(index_));
    }
    EXPECT_TRUE(remove());
    EXPECT_EQ(called, 1);
    EXPECT_FALSE(fs::exists(path_) || fs::exists(index_));
    HeaderChain chain{test::regtest_params()};
    const HeaderFile anew{path_, chain, kNow};
    EXPECT_EQ(chain.tip().height, 0U);
}

TEST_F(StoredHeadersTest, CutsATornEndInPlace) {
    const auto inode = [&] {
        struct stat status {};
        EXPECT_EQ(::stat(path_.c_str(), &status), 0);
        return status.st_ino;
    };
    const auto before = inode();
    const auto size = fs::file_size(path_);
    fs::resize_file(path_, size + 50);
    HeaderChain chain{test::regtest_params()};
    const HeaderFile file{path_, chain, kNow};
    EXPECT_EQ(file.repaired_bytes(), 50U);
    EXPECT_EQ(fs::file_size(path_), size);
    EXPECT_EQ(inode(), before) << "a long file is not copied for this";
    expect_all(chain);
}

TEST_F(StoredHeadersTest, WritesNoIndexOverDamage) {
    flip(path_, record_at(4'000));
    {
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{path_, chain, kNow};
        EXPECT_THROW((void)chain.header_at(4'000), HeaderFileDamaged);
        chain.accept(test::mine_headers(trunk().back(), kTrunkLength), kNow);
        file.flush();
    }
    EXPECT_FALSE(fs::exists(index_));
}

// Headers that break a rule are rechecked in small_store_test.cpp.
TEST_F(StoredHeadersTest, FindsNoFaultInValidHeaders) {
    HeaderChain chain{test::regtest_params()};
    const HeaderFile file{path_, chain, kNow};
    for (std::uint32_t number = 0; number < chain.size(); number += 37) {
        ASSERT_EQ(chain.recheck(number, kNow), std::nullopt);
    }
}

}  // namespace
}  // namespace petal::chain
