#include "chain/headers/pending_headers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "chain/headers/header_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_chain.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;
using test::kNow;
using test::mine_headers;

/// The header file as a process has opened it.
struct Opened {
    explicit Opened(const fs::path& path, bool read_only = false)
        : file(path, chain, kNow, {.read_only = read_only}) {}

    void add(std::span<const BlockHeader> headers) {
        ASSERT_EQ(chain.accept(headers, kNow).error, std::nullopt);
        file.flush();
    }

    HeaderChain chain{test::regtest_params()};
    HeaderFile file;
};

/// A process writes the header file, which has the first two of five headers.
class PendingHeaders : public testing::Test {
protected:
    void SetUp() override {
        writer_.emplace(path_);
        writer_->add(std::span(headers_).first(2));
    }

    /// The tip that a read-only process sees.
    BlockRef tip_seen() const { return Opened(path_, /*read_only=*/true).chain.tip(); }

    BlockRef block(std::uint32_t height) const { return {height, headers_[height - 1].hash()}; }

    const test::TemporaryFolder folder_;
    const fs::path path_ = folder_.path() / "headers";
    const fs::path pending_ = folder_.path() / "headers.pending";
    const std::vector<BlockHeader> headers_ = mine_headers(test::regtest_params().genesis, 5);
    std::optional<Opened> writer_;
};

TEST_F(PendingHeaders, AreSeenByAllAndTakenByTheNextWriter) {
    Opened(path_).add(headers_);
    EXPECT_EQ(tip_seen(), block(5));
    EXPECT_EQ(Opened(path_).chain.tip(), block(5)) << "the file is held by another process";
    struct stat status {};
    ASSERT_EQ(::stat(pending_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);

    writer_.reset();
    writer_.emplace(path_);
    EXPECT_EQ(writer_->chain.tip(), block(5));
    EXPECT_TRUE(fs::exists(pending_)) << "they are not written yet";
    writer_->file.flush();
    EXPECT_FALSE(fs::exists(pending_));
    EXPECT_EQ(tip_seen(), block(5));
}

TEST_F(PendingHeaders, HoldOnlyHeadersThatTheFileLacks) {
    Opened other(path_);
    other.add(std::span(headers_).first(2));
    EXPECT_FALSE(fs::exists(pending_));
    other.add(headers_);
    EXPECT_EQ(fs::file_size(pending_), 3 * kHeaderBytes);
    writer_->add(std::span(headers_).first(4));
    other.add(mine_headers(headers_.back(), 1));
    EXPECT_EQ(fs::file_size(pending_), 2 * kHeaderBytes);
}

TEST_F(PendingHeaders, MayBeOfAnotherBranch) {
    const auto branch = mine_headers(headers_[0], 3, /*salt=*/7);
    Opened other(path_);
    other.add(branch);
    EXPECT_EQ(tip_seen(), (BlockRef{4, branch.back().hash()}));
    EXPECT_EQ(fs::file_size(pending_), 3 * kHeaderBytes);
}

TEST_F(PendingHeaders, AreNotReplacedByHeadersWithLessWork) {
    Opened shorter(path_);
    Opened(path_).add(headers_);
    shorter.add(mine_headers(headers_[0], 2, /*salt=*/7));
    EXPECT_EQ(tip_seen(), block(5));
    Opened longer(path_);
    longer.add(mine_headers(headers_.back(), 1));
    EXPECT_EQ(tip_seen().height, 6U);
}

TEST_F(PendingHeaders, OfADamagedFileEndAtTheDamage) {
    Opened(path_).add(headers_);
    std::fstream file(pending_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(kHeaderBytes + 72);  // the target of the header
    file.put('x').flush();
    EXPECT_EQ(tip_seen(), block(3));
    fs::resize_file(pending_, kHeaderBytes - 1);
    EXPECT_EQ(tip_seen(), block(2));
    fs::remove(pending_);
    fs::create_directory(pending_);
    EXPECT_EQ(tip_seen(), block(2));
}

// Otherwise, processes that read different parts of the file would see different headers.
TEST_F(PendingHeaders, EndAtADisconnectedHeader) {
    std::ofstream file(pending_, std::ios::binary);
    for (const std::size_t i : {3U, 2U}) {
        const auto header = headers_[i].serialize();
        file.write(reinterpret_cast<const char*>(header.data()), kHeaderBytes);
    }
    file.flush();
    EXPECT_EQ(tip_seen(), block(2));
}

TEST_F(PendingHeaders, ThatDoNotConnectAreKept) {
    std::ofstream(pending_) << std::string(2 * kHeaderBytes, 'x');
    writer_.reset();
    writer_.emplace(path_);
    writer_->add(headers_);
    EXPECT_TRUE(fs::exists(pending_));
}

TEST_F(PendingHeaders, AreRemovedWithTheFile) {
    Opened(path_).add(headers_);
    writer_.reset();
    ASSERT_TRUE(HeaderFile::remove(path_, [] {}));
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(PendingHeaders, AreWrittenByAProcessWhoseFileWasReplaced) {
    const fs::path copy = folder_.path() / "copy";
    fs::copy_file(path_, copy);
    fs::rename(copy, path_);
    writer_->add(headers_);
    EXPECT_EQ(tip_seen(), block(5));
}

TEST_F(PendingHeaders, AreBoundedInNumber) {
    auto many = mine_headers(headers_[1], kMaxPendingHeaders + 1);
    Opened other(path_);
    other.add(many);
    EXPECT_FALSE(fs::exists(pending_));
    Opened fewer(path_);
    many.pop_back();
    fewer.add(many);
    EXPECT_EQ(fs::file_size(pending_), kMaxPendingHeaders * kHeaderBytes);
}

}  // namespace
}  // namespace petal::chain
