#include "client/data/data_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "client/data/filter_hosts.h"
#include "client/data/relay_node.h"
#include "tests/support/mnemonic.h"
#include "tests/support/temporary_folder.h"

namespace petal::client {
namespace {

class DataFolderTest : public testing::Test {
protected:
    /// Why the folder can't be used; empty if it can.
    std::optional<DataFolderError::Kind> trouble() const {
        try {
            data_.check();
            return std::nullopt;
        } catch (const DataFolderError& error) {
            return error.kind();
        }
    }

    test::TemporaryFolder folder_;
    const std::filesystem::path root_ = folder_.path() / "data";
    const DataFolder data_{
        root_, std::make_shared<const chain::NetworkParams>(*chain::find_network("regtest"))};
};

TEST_F(DataFolderTest, NeedNotExist) {
    EXPECT_EQ(trouble(), std::nullopt);
    EXPECT_TRUE(data_.wallet_names().empty());
}

TEST_F(DataFolderTest, IsRefusedIfItIsAFileOrLeadsNowhere) {
    std::ofstream(root_) << "a file";
    EXPECT_EQ(trouble(), DataFolderError::Kind::is_file);
    std::filesystem::remove(root_);
    std::filesystem::create_symlink(folder_.path() / "missing", root_);
    EXPECT_EQ(trouble(), DataFolderError::Kind::dangling_link);
}

TEST_F(DataFolderTest, CannotBeMadeBelowAFile) {
    std::ofstream(root_) << "a file";
    EXPECT_THROW(data_.make(), DataFolderError);
}

TEST_F(DataFolderTest, ListsWalletsByName) {
    std::filesystem::create_directories(root_ / "regtest" / "wallets");
    for (const char* name : {"b.db", "a.db", "a.db.lock", ".hidden.db", "notes.txt"}) {
        std::ofstream(root_ / "regtest" / "wallets" / name) << "";
    }
    EXPECT_EQ(data_.wallet_names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(data_.wallet_file("a"), root_ / "regtest" / "wallets" / "a.db");
}

TEST_F(DataFolderTest, RefusesNamesThatLeadElsewhere) {
    for (const char* name : {"", "..", "../a", "a/b", ".hidden"}) {
        EXPECT_THROW(data_.open_wallet(name, wallet::Access::read), std::invalid_argument) << name;
    }
}

TEST_F(DataFolderTest, OpensAWalletByItsName) {
    try {
        data_.open_wallet("savings", wallet::Access::read);
        FAIL() << "there is no such wallet";
    } catch (const wallet::WalletError& error) {
        EXPECT_EQ(error.kind(), wallet::WalletError::Kind::missing);
    }
    wallet::NewWallet made;
    made.mnemonic = test::kMnemonic;
    wallet::Wallet::create(data_.wallet_file("savings"), data_.network(), made);
    const std::filesystem::path standing = data_.wallet_file("savings").string() + ".sync-standing";
    std::ofstream(standing) << "{}";
    EXPECT_TRUE(data_.open_wallet("savings", wallet::Access::sync).balance().total() == 0);
    EXPECT_FALSE(std::filesystem::exists(standing)) << "the standing of a killed sync is removed";
}

TEST_F(DataFolderTest, RenamesAndDeletesAWalletWithTheFilesBesideIt) {
    wallet::NewWallet made;
    made.mnemonic = test::kMnemonic;
    const std::filesystem::path old = data_.wallet_file("old");
    const std::filesystem::path renamed = data_.wallet_file("new");
    wallet::Wallet::create(old, data_.network(), made);
    FilterHosts(old).add("203.0.113.5:8333");
    store_relay_node(old, "203.0.113.6:8333");
    std::ofstream(old.string() + ".sync-standing") << "{}";

    data_.rename_wallet("old", "new");
    EXPECT_EQ(data_.wallet_names(), std::vector<std::string>{"new"});
    EXPECT_TRUE(FilterHosts(renamed).contains("203.0.113.5:8333"));
    EXPECT_FALSE(FilterHosts(old).contains("203.0.113.5:8333"));
    EXPECT_EQ(read_relay_node(renamed), "203.0.113.6:8333");
    EXPECT_EQ(read_relay_node(old), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(old.string() + ".sync-standing"));
    EXPECT_THROW(data_.rename_wallet("old", "other"), wallet::WalletError);
    EXPECT_THROW(data_.rename_wallet("new", "../other"), std::invalid_argument);

    std::ofstream(renamed.string() + ".sync-standing") << "{}";
    data_.remove_wallet("new");
    EXPECT_TRUE(data_.wallet_names().empty());
    EXPECT_FALSE(FilterHosts(renamed).contains("203.0.113.5:8333"));
    EXPECT_EQ(read_relay_node(renamed), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(renamed.string() + ".sync-standing"));
    const auto all = all_filter_hosts(renamed);
    EXPECT_TRUE(std::ranges::any_of(all, [](const FilterHosts& hosts) {
        return hosts.contains("203.0.113.5:8333");
    })) << "the wallet may be restored from its words";
}

TEST(WalletName, IsASafeFileName) {
    EXPECT_TRUE(is_wallet_name("default"));
    EXPECT_TRUE(is_wallet_name("A-1_b.c"));
    EXPECT_TRUE(is_wallet_name(std::string(64, 'a')));
    for (const char* bad : {"", ".", "..", ".x", "-x", "a/b", "a b", "a\nb", "\xc3\xbc", "a\\b"}) {
        EXPECT_FALSE(is_wallet_name(bad)) << bad;
    }
    EXPECT_FALSE(is_wallet_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace petal::client
