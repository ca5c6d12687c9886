#include "client/data/filter_hosts.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace petal::client {
namespace {

class FilterHostsFile : public testing::Test {
protected:
    test::TemporaryFolder folder_;
    const std::filesystem::path wallet_ = folder_.path() / "some.db";
    const std::filesystem::path file_ = folder_.path() / "some.db.filter-hosts";
};

auto knows(const std::string& host) {
    return [host](const FilterHosts& hosts) { return hosts.contains(host); };
}

TEST_F(FilterHostsFile, NamesHostsWhateverThePort) {
    FilterHosts(wallet_).add("203.0.113.5:8333");
    FilterHosts hosts(wallet_);
    hosts.add("[2001:db8:1:2::3]:8333");
    hosts.add("Node.example:8333");
    const FilterHosts read(wallet_);
    EXPECT_TRUE(read.contains("203.0.113.5:18333"));
    EXPECT_TRUE(read.contains("[::ffff:203.0.113.5]:8333"));
    EXPECT_TRUE(read.contains("[2001:db8:1:2:ffff::]:8333")) << "in the same /64";
    EXPECT_TRUE(read.contains("Node.example:1"));
    EXPECT_FALSE(read.contains("203.0.113.6:8333"));
    EXPECT_FALSE(read.contains("[2001:db8:1:3::3]:8333"));
    EXPECT_FALSE(read.contains("other.example:8333"));
}

TEST_F(FilterHostsFile, KeepsTheLastThousand) {
    // Writes the hosts at once, because each add() syncs the file to the disk.
    std::ofstream thousand(file_);
    for (int i = 0; i < 1'000; ++i) thousand << "host" << i << ".example\n";
    thousand.close();
    FilterHosts hosts(wallet_);
    hosts.add("host1000.example:1");
    hosts.add("host1001.example:1");
    const FilterHosts read(wallet_);
    EXPECT_FALSE(read.contains("host1.example:1"));
    EXPECT_TRUE(read.contains("host2.example:1"));
    EXPECT_TRUE(read.contains("host1001.example:1"));
}

TEST_F(FilterHostsFile, ThatIsMalformedNamesNoHost) {
    std::ofstream(file_) << "\n\n" << std::string(1'000'000, 'x');
    EXPECT_FALSE(FilterHosts(wallet_).contains("203.0.113.5:8333"));
    FilterHosts(wallet_).add("203.0.113.5:8333");
    EXPECT_TRUE(FilterHosts(wallet_).contains("203.0.113.5:8333"));
    std::filesystem::remove(file_);
    std::filesystem::create_directory(file_);
    FilterHosts hosts(wallet_);
    EXPECT_FALSE(hosts.contains("203.0.113.5:8333"));
    EXPECT_THROW(hosts.add("203.0.113.5:8333"), std::system_error);
    EXPECT_TRUE(hosts.contains("203.0.113.5:8333")) << "it is remembered during this sync";
    std::filesystem::remove(file_);
    std::filesystem::create_symlink("elsewhere", file_);
    EXPECT_TRUE(FilterHosts(wallet_).is_unread());
}

TEST_F(FilterHostsFile, IsKeptIfItCannotBeRead) {
    FilterHosts(wallet_).add("203.0.113.5:8333");
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    FilterHosts unread(wallet_);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_TRUE(unread.is_unread());
    EXPECT_FALSE(unread.contains("203.0.113.5:8333"));
    EXPECT_THROW(unread.add("203.0.113.6:8333"), std::system_error);
    EXPECT_TRUE(unread.contains("203.0.113.6:8333"));
    FilterHosts copy(folder_.path() / "copy.db");
    EXPECT_THROW(copy.add_all(unread), std::system_error);
    EXPECT_TRUE(FilterHosts(wallet_).contains("203.0.113.5:8333"));
}

TEST_F(FilterHostsFile, IsWrittenOnceItCanBe) {
    const std::filesystem::path draft = file_.string() + ".new";
    std::filesystem::create_directory(draft);
    FilterHosts hosts(wallet_);
    EXPECT_THROW(hosts.add("203.0.113.5:8333"), std::system_error);
    EXPECT_NO_THROW(hosts.add("203.0.113.5:8333")) << "the warning was given already";
    std::filesystem::remove(draft);
    hosts.add("203.0.113.5:8333");
    EXPECT_TRUE(FilterHosts(wallet_).contains("203.0.113.5:8333"));
}

TEST_F(FilterHostsFile, IsReadWithThoseOfAllWalletsOfTheFolder) {
    FilterHosts(wallet_).add("203.0.113.5:8333");
    FilterHosts(folder_.path() / "other.db").add("203.0.113.6:8333");
    const auto all = all_filter_hosts(folder_.path() / "missing.db");
    for (const char* const host : {"203.0.113.5:1", "203.0.113.6:1"}) {
        EXPECT_EQ(std::ranges::count_if(all, knows(host)), 1);
    }
    const auto none = all_filter_hosts(folder_.path() / "missing" / "some.db");
    EXPECT_TRUE(std::ranges::none_of(none, &FilterHosts::is_unread));
    EXPECT_TRUE(std::ranges::none_of(none, knows("203.0.113.5:1")));
}

TEST_F(FilterHostsFile, IsUnreadIfTheFolderCannotBeListed) {
    std::ofstream(folder_.path() / "file");
    EXPECT_TRUE(std::ranges::any_of(all_filter_hosts(folder_.path() / "file" / "some.db"),
                                    &FilterHosts::is_unread));
}

TEST_F(FilterHostsFile, IsCopiedAndRemovedWithItsWallet) {
    FilterHosts(wallet_).add("203.0.113.5:8333");
    const auto renamed = folder_.path() / "other.db";
    FilterHosts(renamed).add("203.0.113.6:8333");  // left over from a wallet of that name
    copy_filter_hosts(wallet_, renamed);
    EXPECT_TRUE(FilterHosts(wallet_).contains("203.0.113.5:8333"));
    EXPECT_TRUE(FilterHosts(renamed).contains("203.0.113.5:8333"));
    EXPECT_TRUE(FilterHosts(renamed).contains("203.0.113.6:8333"));
    remove_filter_hosts(wallet_);
    remove_filter_hosts(renamed);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(FilterHostsFile, OutlivesWalletsThatAreDeletedAtOnce) {
    constexpr int kWallets = 50;
    const auto name = [this](int number) {
        return folder_.path() / ("w" + std::to_string(number) + ".db");
    };
    const auto host = [](int number) { return "203.0.113." + std::to_string(number) + ":8333"; };
    for (int i = 0; i < kWallets; ++i) FilterHosts(name(i)).add(host(i));
    std::latch start(kWallets);
    std::vector<std::thread> deleting;
    for (int i = 0; i < kWallets; ++i) {
        deleting.emplace_back([&, i] {
            start.arrive_and_wait();
            keep_filter_hosts(name(i));
        });
    }
    for (std::thread& thread : deleting) thread.join();
    const FilterHosts kept(folder_.path() / "deleted");
    for (int i = 0; i < kWallets; ++i) EXPECT_TRUE(kept.contains(host(i))) << i;
}

TEST_F(FilterHostsFile, OutlivesItsWallet) {
    keep_filter_hosts(wallet_);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
    for (const char* const host : {"203.0.113.5:8333", "203.0.113.6:8333"}) {
        FilterHosts(wallet_).add(host);
        keep_filter_hosts(wallet_);
        remove_filter_hosts(wallet_);
    }
    const auto all = all_filter_hosts(wallet_);
    EXPECT_TRUE(std::ranges::any_of(all, knows("203.0.113.5:1")));
    EXPECT_TRUE(std::ranges::any_of(all, knows("203.0.113.6:1")));
}

}  // namespace
}  // namespace petal::client
