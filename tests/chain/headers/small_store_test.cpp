/// A short header file with an index, with every kind of damage and forgery.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "chain/headers/header_file.h"
#include "chain/headers/locked_file.h"
#include "chain/headers/stored_headers.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_chain.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;

using test::file_content;
using test::kNow;

class SmallStoreTest : public testing::Test {
protected:
    static constexpr std::uint32_t kHeaders = 12;

    SmallStoreTest() {
        path_ = folder_.path() / "headers";
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{path_, chain, kNow, {kHeaders}};
        chain.accept(headers(), kNow);
        file.flush();
    }

    static const std::vector<BlockHeader>& headers() {
        static const auto mined = test::mine_headers(test::regtest_params().genesis, kHeaders);
        return mined;
    }

    static void write_bytes(const fs::path& path, ByteView bytes) {
        std::ofstream file(path, std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    }

    // Opens the file and reads everything; returns the height of the tip.
    std::uint32_t read_all() const {
        HeaderChain chain{test::regtest_params()};
        const HeaderFile file{path_, chain, kNow, {kHeaders}};
        for (std::uint32_t number = 1; number < chain.size(); ++number) {
            EXPECT_EQ(chain.header_by_number(number), headers()[number - 1]);
            EXPECT_EQ(chain.hash_at(number), headers()[number - 1].hash());
            EXPECT_EQ(chain.height_of(headers()[number - 1].hash()), number);
        }
        return chain.tip().height;
    }

    // Writes a file of three records as an attacker might: the checks of the records and of the
    // index are right, whatever the last record says.
    void forge(const BlockHeader& header, const HeaderPlace& place, std::uint32_t best_tip) const {
        const BlockHeader& genesis = test::regtest_params().genesis;
        const std::array records{HeaderRecord{genesis, {2, 0, 0, genesis.time}},
                                 HeaderRecord{headers()[0], {4, 0, 1, headers()[0].time}},
                                 HeaderRecord{header, place}};
        Bytes bytes = file_content(path_);
        bytes.resize(HeaderRecord::kBytes);
        HeaderIndexContents contents;
        std::copy(bytes.end() - 4, bytes.end(), contents.first.begin());
        contents.last = contents.first;
        for (HeaderRecord record : records) {
            contents.last = record.make_check(contents.last, record.hash());
            record.set_check(contents.last);
            bytes.insert(bytes.end(), record.view().begin(), record.view().end());
        }
        contents.records = 3;
        contents.best = {0, 1, best_tip};
        write_bytes(path_, bytes);
        StoredHeaders::write_index(path_, contents);
    }

    const test::TemporaryFolder folder_;
    fs::path path_;
};

// Nothing is repaired while another process holds the file.
TEST_F(SmallStoreTest, LosesNothingWithAnIndexCutAnywhere) {
    const LockedFile holder{path_};
    const fs::path index = StoredHeaders::index_path(path_);
    const Bytes whole = file_content(index);
    ASSERT_EQ(read_all(), kHeaders);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        write_bytes(index, ByteView{whole}.first(size));
        ASSERT_EQ(read_all(), kHeaders) << size;
    }
}

// The first page has a checksum, which is made right each time.
TEST_F(SmallStoreTest, UsesNoIndexThatItsFirstPageRulesOut) {
    const LockedFile file{path_};
    HeaderRecord::Check first;
    const Bytes start = file.read(HeaderRecord::kBytes - first.size(), first.size());
    std::copy(start.begin(), start.end(), first.begin());
    const auto is_used = [&](std::size_t records) {
        return StoredHeaders::open(file, HeaderRecord::kBytes, first, records) != nullptr;
    };
    EXPECT_TRUE(is_used(kHeaders + 1));
    EXPECT_TRUE(is_used(kHeaders + 2));
    EXPECT_FALSE(is_used(kHeaders)) << "the file is shorter than that";

    const fs::path index = StoredHeaders::index_path(path_);
    const Bytes whole = file_content(index);
    struct Row {
        std::string_view name;
        std::size_t offset;
        Byte value;
    };
    for (const Row& row :
         {Row{"magic", 0, 'P'}, Row{"newer version", 12, 2},
          Row{"another start", 16, static_cast<Byte>(whole[16] ^ 1U)},
          Row{"another end", 20, static_cast<Byte>(whole[20] ^ 1U)}, Row{"no records", 24, 0},
          Row{"fewer records", 24, kHeaders}, Row{"no best chain", 28, 0},
          Row{"best chain of more than all", 28, kHeaders + 2},
          Row{"a slot for each record and none free", 32, kHeaders + 1},
          Row{"more pages of slots", 33, 8}, Row{"other sums", 36, Byte(whole[36] ^ 1U)}}) {
        Bytes bytes = whole;
        bytes[row.offset] = row.value;
        const auto digest = sha256(ByteView{bytes}.first(68));
        std::copy_n(digest.begin(), 4, bytes.begin() + 68);
        write_bytes(index, bytes);
        EXPECT_FALSE(is_used(kHeaders + 1)) << row.name;
    }
    Bytes bytes = whole;
    bytes.back() ^= 1U;
    write_bytes(index, bytes);
    EXPECT_FALSE(is_used(kHeaders + 1)) << "the checksum of a page";
    bytes = whole;
    bytes.push_back(0);
    write_bytes(index, bytes);
    EXPECT_FALSE(is_used(kHeaders + 1)) << "the index is too long";
    write_bytes(index, whole);
    EXPECT_TRUE(is_used(kHeaders + 1));
}

TEST_F(SmallStoreTest, RechecksWhatIsStoredByEveryRule) {
    const auto recheck = [&](const BlockHeader& header, const HeaderPlace& place) {
        forge(header, place, /*best_tip=*/2);
        HeaderChain chain{test::regtest_params()};
        const HeaderFile file{path_, chain, kNow};
        EXPECT_EQ(chain.size(), 3U);
        EXPECT_EQ(chain.recheck(0, kNow), std::nullopt);
        EXPECT_EQ(chain.recheck(1, kNow), std::nullopt);
        return chain.recheck(2, kNow);
    };
    const BlockHeader& genesis = test::regtest_params().genesis;
    const BlockHeader good = headers()[1];
    const HeaderPlace place{6, 1, 2, good.time};
    EXPECT_EQ(recheck(good, place), std::nullopt);

    BlockHeader header = good;
    header.bits = 0x2100ffff;
    EXPECT_EQ(recheck(header, place), HeaderError::bad_target);
    header = good;
    while ((header.hash().bytes[31] & 0x80U) == 0) ++header.nonce;
    EXPECT_EQ(recheck(header, place), HeaderError::insufficient_work);
    header = test::mine_header(genesis, good.time);
    EXPECT_EQ(recheck(header, place), HeaderError::unknown_parent)
        << "the header is a child of another block";
    EXPECT_EQ(recheck(good, {6, 1, 3, good.time}), HeaderError::unknown_parent)
        << "the height is wrong";
    EXPECT_EQ(recheck(good, {7, 1, 2, good.time}), HeaderError::unknown_parent)
        << "the work is wrong";
    header = test::mine_header(headers()[0], genesis.time);
    EXPECT_EQ(recheck(header, place), HeaderError::time_too_old);
}

TEST_F(SmallStoreTest, NoticesReferencesToMissingRecords) {
    const auto open = [&](std::uint32_t parent, std::uint32_t best_tip) {
        forge(headers()[1], {6, parent, 2, headers()[1].time}, best_tip);
        HeaderChain chain{test::regtest_params()};
        const HeaderFile file{path_, chain, kNow};
    };
    EXPECT_NO_THROW(open(1, 2));
    EXPECT_THROW(open(3, 2), HeaderFileDamaged);
    EXPECT_THROW(open(1, 3), HeaderFileDamaged);
}

TEST_F(SmallStoreTest, NoticesAFlippedBitInEveryByteOfTheIndex) {
    const LockedFile holder{path_};
    const fs::path index = StoredHeaders::index_path(path_);
    Bytes bytes = file_content(index);
    std::size_t noticed = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const auto bit = static_cast<Byte>(1U << at % 8);
        bytes[at] ^= bit;
        write_bytes(index, bytes);
        try {
            ASSERT_EQ(read_all(), kHeaders) << at;
        } catch (const HeaderFileDamaged&) {
            ++noticed;
        }
        bytes[at] ^= bit;
    }
    constexpr std::size_t kPageBytes = 4096;
    EXPECT_GE(noticed, 2 * kPageBytes) << "all pages but the first and the checksums";
}

TEST_F(SmallStoreTest, LosesOnlyTheTailOfAnIndexedFileCutAnywhere) {
    const LockedFile holder{path_};
    const Bytes whole = file_content(path_);
    for (std::size_t size = whole.size(); size-- > 0;) {
        fs::resize_file(path_, size);
        // The preamble is as long as a record.
        const std::size_t units = size / HeaderRecord::kBytes;
        ASSERT_EQ(read_all(), units < 2 ? 0 : units - 2) << size;
    }
}

TEST_F(SmallStoreTest, NoticesAFlippedBitInEveryByteOfAnIndexedFile) {
    const LockedFile holder{path_};
    Bytes bytes = file_content(path_);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const auto bit = static_cast<Byte>(1U << at % 8);
        bytes[at] ^= bit;
        write_bytes(path_, bytes);
        const std::size_t units = at / HeaderRecord::kBytes;
        try {
            // The check of the last record is also stored in the index, which then does not match
            // the file and is not used.
            ASSERT_EQ(read_all(), kHeaders - 1) << at;
            ASSERT_GE(at, bytes.size() - 4);
        } catch (const HeaderFileDamaged&) {
            ASSERT_GE(units, 1U) << at;
        } catch (const HeaderFileError&) {
            ASSERT_EQ(units, 0U) << at;
        }
        bytes[at] ^= bit;
    }
}

// Without an index, every record is read. A record that contradicts its parent is cut off.
TEST_F(SmallStoreTest, CutsOffWhatIsAtOddsWithItsParent) {
    const auto known = [&](const BlockHeader& header, const HeaderPlace& place) {
        forge(header, place, /*best_tip=*/2);
        fs::remove(StoredHeaders::index_path(path_));
        HeaderChain chain{test::regtest_params()};
        const HeaderFile file{path_, chain, kNow};
        return chain.size();
    };
    const BlockHeader good = headers()[1];
    EXPECT_EQ(known(good, {6, 1, 2, good.time}), 3U);
    EXPECT_EQ(known(good, {6, 3, 2, good.time}), 2U) << "there is no such parent";
    EXPECT_EQ(known(good, {6, 0, 1, good.time}), 2U) << "it is another parent";
    EXPECT_EQ(known(good, {6, 1, 3, good.time}), 2U) << "the height is wrong";
    EXPECT_EQ(known(good, {4, 1, 2, good.time}), 2U) << "the work does not increase";
    EXPECT_EQ(known(good, {6, 1, 2, good.time + 1}), 2U) << "the latest time is wrong";
}

TEST_F(SmallStoreTest, WritesAnIndexOverWhatACrashLeft) {
    const fs::path index = StoredHeaders::index_path(path_);
    const Bytes whole = file_content(index);
    fs::remove(index);
    write_bytes(index.string() + ".new", Bytes(100'000, 0xff));
    EXPECT_EQ(read_all(), kHeaders);
    EXPECT_EQ(file_content(index), whole);
}

}  // namespace
}  // namespace petal::chain
