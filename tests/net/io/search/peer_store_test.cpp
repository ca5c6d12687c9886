#include "net/io/search/peer_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace petal::net {
namespace {

constexpr std::int64_t kStoredAt = 1'750'000'000;

class PeerStoreTest : public testing::Test {
protected:
    static PeerAddress address(chain::Byte n) { return {AddressKind::ipv4, {20, n, 1, 1}, 8333}; }

    /// Fills a file with some records of every kind, and returns the peers in it.
    std::vector<KnownPeer> fill() {
        PeerStore store{file_};
        auto addrman = store.load({});
        for (chain::Byte i = 0; i < 50; ++i)
            addrman.add(address(i), 5, kStoredAt, {1, i}, kStoredAt);
        addrman.on_outcome(address(1), PeerOutcome::served, kStoredAt);
        addrman.on_outcome(address(2), PeerOutcome::refused, kStoredAt);
        addrman.add_by_user({AddressKind::onion, chain::Bytes(32, 7), 1}, kStoredAt);
        addrman.bans().ban(address(3), {kStoredAt + 9, true});
        addrman.draw_anchors({address(1)});
        store.save(addrman);
        return addrman.peers();
    }

    std::string contents() const {
        std::ostringstream text;
        text << std::ifstream{file_, std::ios::binary}.rdbuf();
        return text.str();
    }
    void overwrite(const std::string& text) const {
        std::ofstream{file_, std::ios::binary | std::ios::trunc} << text;
    }

    const test::TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "testnet4" / "peers.db";
};

TEST_F(PeerStoreTest, BringsBackWhatWasStored) {
    const auto stored = fill();
    EXPECT_GE(stored.size(), 45U);
    const PeerStore store{file_};
    EXPECT_FALSE(store.was_rebuilt());
    const auto addrman = store.load({});
    EXPECT_EQ(addrman.peers(), stored);
    EXPECT_TRUE(addrman.bans().is_banned(address(3), kStoredAt));
    EXPECT_TRUE(addrman.bans().all().begin()->second.by_user);
    EXPECT_EQ(addrman.anchors(), std::set{address(1)});
}

TEST_F(PeerStoreTest, ForgetsAnAnchorThatFailed) {
    fill();
    {
        PeerStore store{file_};
        auto addrman = store.load({});
        addrman.on_outcome(address(1), PeerOutcome::refused, kStoredAt);
        store.save(addrman);
    }
    EXPECT_TRUE(PeerStore{file_}.load({}).anchors().empty());
}

TEST_F(PeerStoreTest, ReadsAFileThatKnowsNoAnchors) {
    const auto stored = fill();
    {
        SQLite::Database sqlite(file_.string(), SQLite::OPEN_READWRITE);
        sqlite.exec("DROP TABLE IF EXISTS anchors");  // absent if fill() stored no anchor
    }
    PeerStore store{file_};
    EXPECT_FALSE(store.was_rebuilt());
    auto addrman = store.load({});
    EXPECT_EQ(addrman.peers(), stored);
    EXPECT_TRUE(addrman.anchors().empty());
    addrman.draw_anchors({address(2)});
    store.save(addrman);
    EXPECT_EQ(PeerStore{file_}.load({}).anchors(), std::set{address(2)});
}

TEST_F(PeerStoreTest, SkipsOnlyInvalidAnchors) {
    fill();
    {
        SQLite::Database sqlite(file_.string(), SQLite::OPEN_READWRITE);
        sqlite.exec(
            "INSERT INTO anchors VALUES (1, x'01', 1), (1, x'14010101', -1), "
            "(77, x'14010101', 8333), (1, x'63010101', 8333)");
    }
    const PeerStore store{file_};
    EXPECT_FALSE(store.was_rebuilt());
    EXPECT_EQ(store.load({}).anchors(), std::set{address(1)});
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

TEST_F(PeerStoreTest, MakesItsFolderForItsOwnerAlone) {
    const mode_t mask = ::umask(0);
    fill();
    ::umask(mask);
    struct stat status {};
    ASSERT_EQ(::stat(file_.parent_path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(PeerStoreTest, IsNoSymbolicLink) {
    fill();
    std::filesystem::rename(file_, folder_.path() / "other");
    std::filesystem::create_symlink(folder_.path() / "other", file_);
    EXPECT_THROW(PeerStore{file_}, PeerStoreError);
    // The folder may be reached through a symlink.
    std::filesystem::remove(file_);
    std::filesystem::rename(folder_.path() / "other", file_);
    std::filesystem::create_symlink(file_.parent_path(), folder_.path() / "link");
    EXPECT_FALSE(PeerStore{folder_.path() / "link" / "peers.db"}.was_rebuilt());
}

TEST_F(PeerStoreTest, RebuildsAFileWithATriggerOrAView) {
    for (const char* sql :
         {"CREATE TRIGGER sqliteXevil AFTER INSERT ON peers BEGIN DELETE FROM bans; END",
          "CREATE VIEW other AS SELECT * FROM peers"}) {
        fill();
        EXPECT_FALSE(PeerStore{file_}.was_rebuilt());
        SQLite::Database{file_.string(), SQLite::OPEN_READWRITE}.exec(sql);
        EXPECT_TRUE(PeerStore{file_}.was_rebuilt()) << sql;
    }
}

TEST_F(PeerStoreTest, ForgetsWhatTheAddrManForgot) {
    fill();
    {
        PeerStore store{file_};
        auto addrman = store.load({});
        addrman.bans().unban(address(3));
        store.save(addrman);
    }
    EXPECT_TRUE(PeerStore{file_}.load({}).bans().all().empty());
}

TEST_F(PeerStoreTest, EndsOnlyThePausesThatDependOnTheStoredChain) {
    constexpr std::int64_t kLater = kStoredAt + 1;
    fill();
    {
        PeerStore store{file_};
        auto addrman = store.load({});
        addrman.on_outcome(address(4), PeerOutcome::other_chain, kLater);
        addrman.on_outcome(address(5), PeerOutcome::lesser_branch, kLater);
        addrman.on_outcome(address(6), PeerOutcome::lighter_chain, kLater);
        addrman.on_outcome(address(7), PeerOutcome::low_work, kLater);
        store.save(addrman);
        for (const chain::Byte number : std::initializer_list<chain::Byte>{2, 4, 5, 6, 7}) {
            ASSERT_TRUE(is_left_alone(*addrman.find(address(number)), kLater)) << int{number};
        }
    }
    PeerStore store{file_};
    store.end_pauses_by_chain();
    for (const auto& addrman : {store.load({}), PeerStore{file_}.load({})}) {
        for (const chain::Byte number : std::initializer_list<chain::Byte>{4, 5, 6, 7}) {
            EXPECT_EQ(addrman.find(address(number))->not_before, 0) << int{number};
            EXPECT_EQ(addrman.find(address(number))->failures, 0U) << int{number};
        }
        EXPECT_TRUE(is_left_alone(*addrman.find(address(2)), kLater)) << "it has hung up";
    }
}

TEST_F(PeerStoreTest, KeepsWhatAnotherProcessStoredMeanwhile) {
    fill();
    PeerStore ours{file_};
    auto addrman = ours.load({});
    {
        PeerStore theirs{file_};
        auto their_addrman = theirs.load({});
        their_addrman.bans().ban(address(9), {kStoredAt + 9, true});
        theirs.save(their_addrman);
    }
    addrman.on_outcome(address(4), PeerOutcome::refused, kStoredAt);
    ours.save(addrman);
    const auto both = PeerStore{file_}.load({});
    EXPECT_TRUE(both.bans().is_banned(address(9), kStoredAt));
    EXPECT_EQ(both.find(address(4))->last_outcome, PeerOutcome::refused);
}

TEST_F(PeerStoreTest, KeepsNodesThatAnotherProcessAddedMeanwhile) {
    fill();
    PeerStore ours{file_};
    auto addrman = ours.load({});
    ASSERT_FALSE(addrman.find(address(4))->by_user);
    {
        PeerStore theirs{file_};
        auto their_addrman = theirs.load({});
        EXPECT_TRUE(their_addrman.add_by_user(address(4), kStoredAt));
        EXPECT_TRUE(their_addrman.add_by_user(address(5), kStoredAt));
        theirs.save(their_addrman);
    }
    for (int round = 0; round < 2; ++round) {
        addrman.on_outcome(address(4), PeerOutcome::bad_data, kStoredAt + round);
        ours.save(addrman);
    }
    addrman.forget(address(5));
    ours.save(addrman);
    const auto both = PeerStore{file_}.load({});
    ASSERT_TRUE(both.find(address(4)) && both.find(address(5)));
    EXPECT_TRUE(both.find(address(4))->by_user);
    EXPECT_EQ(both.find(address(4))->last_outcome, PeerOutcome::bad_data);
    EXPECT_EQ(both.find(address(4))->not_before, 0) << "an address of the user is dialled at once";
    EXPECT_TRUE(both.find(address(5))->by_user);
}

TEST_F(PeerStoreTest, DoesNotReplaceABanOfTheUser) {
    fill();
    PeerStore ours{file_};
    auto addrman = ours.load({});
    {
        PeerStore theirs{file_};
        auto their_addrman = theirs.load({});
        their_addrman.bans().ban(address(9), {kStoredAt + 1'000'000, true});
        their_addrman.bans().ban(address(10), {kStoredAt + 5, false});
        theirs.save(their_addrman);
    }
    addrman.bans().ban(address(9), {kStoredAt + 86'400, false});
    addrman.bans().ban(address(10), {kStoredAt + 86'400, false});
    ours.save(addrman);
    addrman.bans().unban(address(9));
    ours.save(addrman);
    const auto bans = PeerStore{file_}.load({}).bans().all();
    const auto ban_of = [&](chain::Byte n) {
        return bans.at({AddressKind::ipv4, {20, n, 1, 1}, 0});
    };
    EXPECT_EQ(ban_of(9), (PeerBan{kStoredAt + 1'000'000, true}));
    EXPECT_EQ(ban_of(10), (PeerBan{kStoredAt + 86'400, false}));
}

TEST_F(PeerStoreTest, RebuildsADamagedFile) {
    for (const char* text : {"not a database at all, and longer than a header of one hundred bytes "
                             "so that SQLite reads it and says what it thinks of it",
                             "x"}) {
        fill();
        overwrite(text);
        PeerStore store{file_};
        EXPECT_TRUE(store.was_rebuilt()) << text;
        EXPECT_EQ(test::file_text(PeerStore::damaged_copy_of(file_)), text);
        auto addrman = store.load({});
        EXPECT_EQ(addrman.size(), 0U);
        addrman.add(address(1), 5, kStoredAt, {1}, kStoredAt);
        store.save(addrman);
        EXPECT_EQ(PeerStore{file_}.load({}).size(), 1U);
    }
}

// SQLite: file format, 1.3: the header has 100 bytes, and user_version is at offset 60. The names
// of tables and columns are at the end of the first page.
TEST_F(PeerStoreTest, LoadsWhateverBitIsFlipped) {
    fill();
    const std::string whole = contents();
    const std::size_t schema = whole.find("CREATE TABLE");
    int rebuilt = 0;
    for (std::size_t place = 0; place < whole.size();) {
        const bool is_version = place >= 60 && place < 64;
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
        overwrite(damaged);
        if (!is_version) {
            SCOPED_TRACE("byte " + std::to_string(place));
            PeerStore store{file_};
            rebuilt += store.was_rebuilt() ? 1 : 0;
            auto addrman = store.load({});
            EXPECT_LE(addrman.size(), 60U);
            addrman.add_by_user(address(200), kStoredAt);
            EXPECT_NO_THROW(store.save(addrman));
        }
        const bool everywhere = place < 100 || (place >= schema && place < 4'096);
        place += everywhere ? 1 : place < schema ? 97 : 31;
    }
    EXPECT_GT(rebuilt, 100);
}

TEST_F(PeerStoreTest, SkipsOnlyInvalidRows) {
    fill();
    {
        SQLite::Database sqlite(file_.string(), SQLite::OPEN_READWRITE);
        ASSERT_EQ(sqlite.exec("UPDATE peers SET last_seen = -431000 WHERE host = x'14010101'"), 1);
        ASSERT_EQ(sqlite.exec("INSERT INTO bans VALUES (77, x'01', 1, 1)"), 1);
    }
    const PeerStore store{file_};
    EXPECT_FALSE(store.was_rebuilt());
    const auto addrman = store.load({});
    EXPECT_FALSE(addrman.find(address(1)));
    EXPECT_TRUE(addrman.find(address(2)));
    EXPECT_EQ(addrman.bans().all().size(), 1U) << "the ban by the user";
}

TEST_F(PeerStoreTest, IsReadWhileAnotherProcessWrites) {
    const auto stored = fill();
    SQLite::Database sqlite(file_.string(), SQLite::OPEN_READWRITE);
    const SQLite::Transaction theirs(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    PeerStore store{file_, std::chrono::milliseconds{0}};
    const auto addrman = store.load({});
    EXPECT_EQ(addrman.peers(), stored);
    EXPECT_THROW(store.save(addrman), PeerStoreError) << "but the file is not written";
}

TEST_F(PeerStoreTest, LeavesAFileAloneThatIsLocked) {
    fill();
    SQLite::Database sqlite(file_.string(), SQLite::OPEN_READWRITE);
    const SQLite::Transaction theirs(sqlite, SQLite::TransactionBehavior::EXCLUSIVE);
    EXPECT_THROW((PeerStore{file_, std::chrono::milliseconds{0}}), PeerStoreError);
}

TEST_F(PeerStoreTest, LeavesANewerFileAlone) {
    fill();
    {
        std::fstream stream{file_, std::ios::binary | std::ios::in | std::ios::out};
        stream.seekp(63);  // the last byte of user_version (SQLite: file format, 1.3)
        stream.put('\x03');
    }
    EXPECT_THROW(PeerStore{file_}, PeerStoreError);
    EXPECT_TRUE(std::filesystem::exists(file_));
}

TEST_F(PeerStoreTest, UpgradesAFileOfVersion1) {
    fill();
    {
        SQLite::Database sqlite(file_.string(), SQLite::OPEN_READWRITE);
        sqlite.exec(
            "ALTER TABLE peers DROP COLUMN services_time; PRAGMA user_version = 1;"
            "UPDATE peers SET last_outcome = 'no-bloom', not_before = 2000000000, failures = 3 "
            "WHERE host = x'14020101'");
    }
    for (int opened = 0; opened < 2; ++opened) {
        PeerStore store{file_};
        EXPECT_FALSE(store.was_rebuilt());
        auto addrman = store.load({});
        const KnownPeer paused = addrman.find(address(2)).value();
        EXPECT_EQ(paused.last_outcome, std::nullopt);
        EXPECT_EQ(paused.not_before, 0);
        EXPECT_EQ(paused.services_time, opened == 0 ? 0 : kStoredAt);
        EXPECT_EQ(addrman.find(address(1))->last_outcome, PeerOutcome::served);
        addrman.on_version(address(2), kNodeNetwork, kStoredAt);
        store.save(addrman);
    }
}

TEST_F(PeerStoreTest, IsReadFromAReadOnlyFolder) {
    if (::geteuid() != 0) GTEST_SKIP() << "the test drops root's privileges, so it must have them";
    const auto stored = fill();
    for (const auto& path : {folder_.path(), file_.parent_path(), file_}) {
        std::filesystem::permissions(path, std::filesystem::perms(0755));
    }
    const auto read_by_another_user = [&] {
        if (::setuid(65'534) != 0) std::_Exit(9);
        try {
            std::_Exit(PeerStore{file_}.load({}).peers() == stored ? 0 : 1);
        } catch (const PeerStoreError&) {
            std::_Exit(2);
        }
    };
    EXPECT_EXIT(read_by_another_user(), testing::ExitedWithCode(0), "");
}

TEST_F(PeerStoreTest, RefusesWhatIsNoRegularFile) {
    std::filesystem::create_directory(file_.parent_path());
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    try {
        const PeerStore store{file_};
        ADD_FAILURE() << "a pipe was accepted";
    } catch (const PeerStoreError& error) {
        EXPECT_EQ(error.what(), file_.string() + " is not a regular file");
    }
}

TEST_F(PeerStoreTest, SaysThatTheFolderCannotBeWritten) {
    std::ofstream{folder_.path() / "testnet4"} << "a file";
    EXPECT_THROW(PeerStore{file_}, PeerStoreError);
}

}  // namespace
}  // namespace petal::net
