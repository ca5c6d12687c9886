#include "net/io/peer_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace petal::net {
namespace {

constexpr std::int64_t kNow = 1'750'000'000;

class PeerStoreTest : public testing::Test {
protected:
    PeerStoreTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "petal-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        file_ = folder_ / "testnet4" / "peers.db";
    }
    ~PeerStoreTest() override { std::filesystem::remove_all(folder_); }

    static PeerAddress address(chain::Byte n) { return {AddressKind::ipv4, {20, n, 1, 1}, 8333}; }

    /// Fills a file with a few of everything, and returns what is in it.
    std::vector<KnownPeer> fill() {
        PeerStore store{file_};
        auto book = store.load({});
        for (chain::Byte i = 0; i < 50; ++i) book.add(address(i), 5, kNow, {1, i}, kNow);
        book.on_outcome(address(1), PeerOutcome::served, kNow);
        book.on_outcome(address(2), PeerOutcome::refused, kNow);
        book.add_by_user({AddressKind::onion, chain::Bytes(32, 7), 1}, kNow);
        book.ban(address(3), {kNow + 9, true});
        store.save(book);
        return book.peers();
    }

    std::filesystem::path folder_;
    std::filesystem::path file_;
};

TEST_F(PeerStoreTest, BringsBackWhatWasStored) {
    const auto stored = fill();
    EXPECT_GE(stored.size(), 45U);
    const PeerStore store{file_};
    EXPECT_FALSE(store.was_rebuilt());
    const auto book = store.load({});
    EXPECT_EQ(book.peers(), stored);
    EXPECT_TRUE(book.is_banned(address(3), kNow));
    EXPECT_TRUE(book.bans().begin()->second.by_user);
}

TEST_F(PeerStoreTest, IsReadableByItsOwnerAlone) {
    fill();
    struct stat status {};
    ASSERT_EQ(::stat(file_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    ASSERT_EQ(::chmod(file_.c_str(), 0644), 0);
    const PeerStore store{file_};
    ASSERT_EQ(::stat(file_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(PeerStoreTest, ForgetsWhatTheBookForgot) {
    fill();
    {
        PeerStore store{file_};
        auto book = store.load({});
        book.unban(address(3));
        store.save(book);
    }
    EXPECT_TRUE(PeerStore{file_}.load({}).bans().empty());
}

TEST_F(PeerStoreTest, KeepsWhatAnotherProcessStoredMeanwhile) {
    fill();
    PeerStore ours{file_};
    auto book = ours.load({});
    {
        PeerStore theirs{file_};
        auto their_book = theirs.load({});
        their_book.ban(address(9), {kNow + 9, true});
        theirs.save(their_book);
    }
    book.on_outcome(address(4), PeerOutcome::refused, kNow);
    ours.save(book);
    const auto both = PeerStore{file_}.load({});
    EXPECT_TRUE(both.is_banned(address(9), kNow));
    EXPECT_EQ(both.find(address(4))->last_outcome, PeerOutcome::refused);
}

TEST_F(PeerStoreTest, RebuildsADamagedFile) {
    for (const char* text : {"not a database at all, and longer than a header of one hundred bytes "
                             "so that SQLite reads it and says what it thinks of it", "x"}) {
        fill();
        std::ofstream{file_, std::ios::binary | std::ios::trunc} << text;
        PeerStore store{file_};
        EXPECT_TRUE(store.was_rebuilt()) << text;
        auto book = store.load({});
        EXPECT_EQ(book.size(), 0U);
        book.add(address(1), 5, kNow, {1}, kNow);
        store.save(book);
        EXPECT_EQ(PeerStore{file_}.load({}).size(), 1U);
    }
}

TEST_F(PeerStoreTest, RebuildsAFileDamagedAnywhereOrKeepsToItsBounds) {
    fill();
    const auto size = std::filesystem::file_size(file_);
    std::string whole(size, '\0');
    std::ifstream{file_, std::ios::binary}.read(whole.data(), static_cast<std::streamsize>(size));
    for (std::size_t place = 0; place < size; place += 97) {
        std::string damaged = whole;
        for (std::size_t i = place; i < std::min(place + 16, damaged.size()); ++i) damaged[i] ^= '\x55';
        std::ofstream{file_, std::ios::binary | std::ios::trunc} << damaged;
        try {
            EXPECT_LE(PeerStore{file_}.load({}).size(), 60U);
        } catch (const PeerStoreError&) {
            // The version number was hit, and says that a newer petal wrote it.
        }
    }
}

TEST_F(PeerStoreTest, LeavesANewerFileAlone) {
    fill();
    {
        std::fstream stream{file_, std::ios::binary | std::ios::in | std::ios::out};
        stream.seekp(63);  // the last byte of user_version (SQLite: file format, 1.3)
        stream.put('\x02');
    }
    EXPECT_THROW(PeerStore{file_}, PeerStoreError);
    EXPECT_TRUE(std::filesystem::exists(file_));
}

TEST_F(PeerStoreTest, SaysThatTheFolderCannotBeWritten) {
    std::ofstream{folder_ / "testnet4"} << "a file";
    EXPECT_THROW(PeerStore{file_}, PeerStoreError);
}

}  // namespace
}  // namespace petal::net
