#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "cli/secrets/mnemonic_input.h"
#include "client/data/filter_hosts.h"
#include "tests/cli/scene.h"
#include "wallet/wallet.h"

namespace petal::cli {
namespace {

using test::kMnemonic;
using test::Outcome;
using test::Scene;

Outcome restore(const Scene& scene, std::vector<std::string> more = {}) {
    const std::string words = scene.write("words.txt", std::string(kMnemonic) + "\n");
    more.insert(more.begin(), {"restore", "--mnemonic-file", words});
    return scene.run(more);
}

TEST(Create, PrintsTheWordsOnce) {
    const Scene scene;
    const Outcome created = scene.run({"create", "--json"});
    EXPECT_EQ(created.status, ExitStatus::done) << created.err;
    const Json json = created.json();
    EXPECT_EQ(json.at("wallet"), "default");
    EXPECT_EQ(json.at("network"), "regtest");
    EXPECT_EQ(json.at("type"), "wpkh");
    EXPECT_EQ(json.at("birthday_height"), 0);
    EXPECT_EQ(json.at("descriptors").size(), 2U);
    const std::string words = json.at("mnemonic");
    EXPECT_TRUE(std::regex_match(words, std::regex("([a-z]+ ){11}[a-z]+"))) << words;
    EXPECT_EQ(scene.run({"info", "--json"}).out.find(words), std::string::npos);
}

TEST(Create, MakesAsManyWordsAsAsked) {
    const Scene scene;
    for (const char* const count : {"12", "15", "18", "21", "24"}) {
        const std::string words =
            scene.run({"create", "--wallet", count, "--words", count, "--json"})
                .json()
                .at("mnemonic");
        EXPECT_EQ(std::to_string(std::ranges::count(words, ' ') + 1), count);
    }
}

TEST(Create, KeepsFilesToItsOwner) {
    const Scene scene;
    ASSERT_EQ(scene.run({"create"}).status, ExitStatus::done);
    const auto mode = [&](const std::string& name) {
        struct stat status {};
        EXPECT_EQ(stat(scene.path(name).c_str(), &status), 0) << name;
        return status.st_mode & 0777;
    };
    EXPECT_EQ(mode("regtest"), 0700U);
    EXPECT_EQ(mode("regtest/wallets"), 0700U);
    EXPECT_EQ(mode("regtest/wallets/default.db"), 0600U);
}

TEST(Create, OutsideRegtestTheBirthdayIsATimeAWeekAgo) {
    const Scene scene;
    const Json json = scene.run({"create", "--network", "signet", "--json"}).json();
    EXPECT_TRUE(json.at("birthday_height").is_null());
    const std::int64_t age = std::time(nullptr) - json.at("birthday_time").get<std::int64_t>();
    EXPECT_NEAR(static_cast<double>(age), 7 * 86'400, 120);
}

TEST(Create, DoesNotReplaceAWallet) {
    const Scene scene;
    const std::string fingerprint = scene.run({"create", "--json"}).json().at("fingerprint");
    const Outcome again = scene.run({"create", "--json"});
    EXPECT_EQ(again.status, ExitStatus::failed);
    EXPECT_EQ(again.code(), "wallet-exists");
    EXPECT_EQ(scene.run({"info", "--json"}).json().at("fingerprint"), fingerprint);
}

TEST(Create, SaysThatThePassphraseIsNeededBesidesTheWords) {
    const Scene scene;
    const std::string passphrase = scene.write("passphrase", "TREZOR");
    const Outcome with = scene.run({"create", "--passphrase-file", passphrase});
    EXPECT_NE(with.out.find("you need both"), std::string::npos) << with.out;
    EXPECT_EQ(with.out.find("TREZOR"), std::string::npos);
    EXPECT_EQ(scene.run({"--wallet", "b", "create"}).out.find("passphrase"), std::string::npos);
    const Outcome json =
        scene.run({"--wallet", "c", "create", "--passphrase-file", passphrase, "--json"});
    EXPECT_EQ(json.json().at("has_passphrase"), true);
}

// The addresses are from the test vectors of BIP49, BIP84 and BIP86; the others are from an
// independent implementation.
TEST(Restore, MakesWalletsOfEachTypeAndAccount) {
    struct TypeCase {
        std::string type;
        std::string account;
        std::string path;
        std::string address;
    };
    const Scene scene;
    for (const auto& [type, account, path, address] : std::vector<TypeCase>{
             {"wpkh", "0", "m/84h/1h/0h/0/0", "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"},
             {"tr", "0", "m/86h/1h/0h/0/0",
              "bcrt1p8wpt9v4frpf3tkn0srd97pksgsxc5hs52lafxwru9kgeephvs7rqjeprhg"},
             {"sh-wpkh", "0", "m/49h/1h/0h/0/0", "2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2"},
             {"pkh", "0", "m/44h/1h/0h/0/0", "mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV"},
             {"tr", "2147483647", "m/86h/1h/2147483647h/0/0",
              "bcrt1pgt3nz57lt8ggs6f3c77mtrcu43yyznnjvya4wnfqmn35yjtzvvcqqxut58"}}) {
        const std::string name = type + account;
        const Outcome restored =
            restore(scene, {"--json", "--wallet", name, "--type", type, "--account", account});
        ASSERT_EQ(restored.status, ExitStatus::done) << restored.err;
        EXPECT_EQ(restored.json().at("type"), type);
        EXPECT_EQ(std::to_string(restored.json().at("account").get<std::uint32_t>()), account);
        const Json info = scene.run({"info", "--json", "--wallet", name}).json();
        EXPECT_EQ(info.at("type"), type);
        EXPECT_EQ(info.at("descriptors"), restored.json().at("descriptors"));
        const Json received = scene.run({"receive", "--json", "--wallet", name}).json();
        EXPECT_EQ(received.at("address"), address);
        EXPECT_EQ(received.at("path"), path);
    }
    const Json listed = scene.run({"wallets", "--json"}).json().at("wallets");
    EXPECT_EQ(listed.size(), 5U);
    for (const Json& row : listed) {
        EXPECT_EQ(row.at("total_sat"), 0);
        EXPECT_EQ(row.at("wallet").get<std::string>(),
                  row.at("type").get<std::string>() +
                      std::to_string(row.at("account").get<std::uint32_t>()));
    }
}

TEST(Restore, SaysWhichTypeItMadeAndThatThereAreOthers) {
    const Scene scene;
    const std::string text = restore(scene).out;
    EXPECT_NE(text.find("wpkh (BIP84)"), std::string::npos) << text;
    EXPECT_NE(text.find("addresses of all types"), std::string::npos) << text;
    const std::string chosen = restore(scene, {"--wallet", "b", "--type", "tr"}).out;
    EXPECT_NE(chosen.find("tr (BIP86)"), std::string::npos) << chosen;
    EXPECT_EQ(chosen.find("all types"), std::string::npos) << chosen;
}

TEST(Restore, TakesWordsOfEveryLength) {
    const Scene scene;
    // Mnemonics whose entropy is all zeros. The last word contains the checksum.
    const std::map<std::string, std::size_t> phrases{
        {"about", 12}, {"address", 15}, {"agent", 18}, {"admit", 21}, {"art", 24}};
    for (const auto& [last, count] : phrases) {
        std::string words = count == 12 ? "\xef\xbb\xbf" : "";  // as some editors begin a file
        for (std::size_t i = 1; i < count; ++i) words += "abandon ";
        const std::string file = scene.write("w", words + last);
        const std::string name = std::to_string(count);
        EXPECT_EQ(scene.run({"restore", "--mnemonic-file", file, "--wallet", name}).status,
                  ExitStatus::done)
            << count;
    }
}

// The account of BIP39's first vector for coin type 1, which other wallets derive, too.
TEST(Restore, FindsTheSameKeysAgain) {
    const Scene scene;
    const Outcome outcome = restore(scene, {"--json"});
    EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json.at("fingerprint"), "73c5da0a");
    EXPECT_FALSE(json.contains("mnemonic"));
    EXPECT_EQ(json.at("birthday_height"), 0);
    EXPECT_EQ(scene.run({"receive", "--json"}).json().at("address"),
              "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk");
}

TEST(Restore, KeepsTheBirthdayItIsGiven) {
    const Scene scene;
    EXPECT_EQ(restore(scene, {"--json", "--birthday", "120"}).json().at("birthday_height"), 120);
    const Json dated =
        restore(scene, {"--json", "--wallet", "b", "--birthday", "2020-01-02"}).json();
    EXPECT_TRUE(dated.at("birthday_height").is_null());
    EXPECT_EQ(dated.at("birthday_time"), 1'577'923'200);  // 2020-01-02
    EXPECT_NE(scene.run({"--wallet", "b", "info"}).out.find(" 2020-01-02\n"), std::string::npos);
    ASSERT_EQ(restore(scene, {"--wallet", "c", "--birthday", "1970-01-01"}).status,
              ExitStatus::done);
    EXPECT_NE(
        scene.run({"--wallet", "c", "info"}).out.find(" none; searched from the first block\n"),
        std::string::npos);
}

TEST(Restore, RefusesABirthdayThatNoChainHasReached) {
    const Scene scene;
    const Outcome outcome = restore(scene, {"--birthday", "20241101"});
    EXPECT_EQ(outcome.status, ExitStatus::usage);
    EXPECT_NE(outcome.err.find("did you mean 2024-11-01?"), std::string::npos) << outcome.err;
    EXPECT_EQ(restore(scene, {"--birthday", "2999-01-01"}).status, ExitStatus::usage);
}

TEST(Rescan, MovesTheBirthday) {
    const Scene scene;
    ASSERT_EQ(restore(scene, {"--birthday", "500"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"rescan", "--json"}).json().at("birthday_height"), 500);
    const Outcome earlier = scene.run({"rescan", "--from", "120", "--json"});
    EXPECT_EQ(earlier.json().at("birthday_height"), 120);
    EXPECT_TRUE(earlier.json().at("synced_height").is_null());
    EXPECT_EQ(scene.run({"info", "--json"}).json().at("birthday_height"), 120);
    EXPECT_EQ(scene.run({"rescan", "--from", "99999999"}).status, ExitStatus::usage);
    EXPECT_NE(scene.run({"rescan"}).out.find("from block 120"), std::string::npos);
}

TEST(Rename, GivesAWalletAnotherName) {
    const Scene scene;
    ASSERT_EQ(restore(scene).status, ExitStatus::done);
    ASSERT_EQ(scene.run({"create", "--wallet", "other"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"rename", "other", "--yes", "--json"}).code(), "wallet-exists");
    EXPECT_EQ(scene.run({"rename", "../x", "--yes"}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"rename", "savings"}, "yes\n").status, ExitStatus::usage)
        << "there is no terminal";
    EXPECT_EQ(scene.run({"info"}).status, ExitStatus::done) << "not renamed";
    EXPECT_EQ(scene.run({"rename", "savings", "--yes", "--json"}).json().at("wallet"), "savings");
    EXPECT_EQ(scene.run({"info", "--json"}).code(), "wallet-missing");
    EXPECT_EQ(scene.run({"--wallet", "savings", "info", "--json"}).json().at("fingerprint"),
              "73c5da0a");
    EXPECT_EQ(scene.run({"rename", "again", "--yes", "--json"}).code(), "wallet-missing");
}

TEST(Rename, MovesTheFilterHostsOnlyIfItRenames) {
    const Scene scene;
    ASSERT_EQ(restore(scene).status, ExitStatus::done);
    ASSERT_EQ(scene.run({"create", "--wallet", "other"}).status, ExitStatus::done);
    const auto file_of = [&](const std::string& name) {
        return scene.path("regtest/wallets/" + name + ".db");
    };
    const auto hosts_of = [&](const std::string& name) { return file_of(name) += ".filter-hosts"; };
    client::FilterHosts(file_of("default")).add("203.0.113.5:8333");
    EXPECT_EQ(scene.run({"rename", "other", "--yes", "--json"}).code(), "wallet-exists");
    EXPECT_FALSE(std::filesystem::exists(hosts_of("other")));
    {
        const auto syncing = wallet::Wallet::open(
            file_of("default"), *chain::find_network("regtest"), wallet::Access::sync);
        EXPECT_EQ(scene.run({"rename", "fresh", "--yes", "--json"}).code(), "wallet-locked");
        EXPECT_FALSE(std::filesystem::exists(hosts_of("fresh")));
    }
    std::filesystem::create_directory(hosts_of("fresh"));
    const Outcome refused = scene.run({"rename", "fresh", "--yes", "--json"});
    EXPECT_EQ(refused.code(), "storage");
    EXPECT_NE(refused.err.find("default.db"), std::string::npos) << refused.err;
    EXPECT_EQ(scene.run({"info"}).status, ExitStatus::done) << "not renamed";
    std::filesystem::remove(hosts_of("fresh"));
    ASSERT_EQ(scene.run({"rename", "fresh", "--yes"}).status, ExitStatus::done);
    EXPECT_TRUE(client::FilterHosts(file_of("fresh")).contains("203.0.113.5:8333"));
    EXPECT_FALSE(std::filesystem::exists(hosts_of("default")));
}

TEST(Delete, RemembersWhichHostsHaveTheFilter) {
    const Scene scene;
    ASSERT_EQ(restore(scene).status, ExitStatus::done);
    const auto file = scene.path("regtest/wallets/default.db");
    client::FilterHosts(file).add("203.0.113.5:8333");
    ASSERT_EQ(scene.run({"delete", "--yes"}).status, ExitStatus::done);
    EXPECT_FALSE(client::FilterHosts(file).contains("203.0.113.5:8333"));
    ASSERT_EQ(restore(scene).status, ExitStatus::done);
    const auto all = client::all_filter_hosts(file);
    EXPECT_TRUE(std::ranges::any_of(all, [](const client::FilterHosts& hosts) {
        return hosts.contains("203.0.113.5:8333");
    })) << "the mnemonic gives the same filter again";
}

TEST(Delete, WantsToBeConfirmed) {
    const Scene scene;
    ASSERT_EQ(restore(scene).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"delete"}, "default\n").status, ExitStatus::usage)
        << "there is no terminal";
    EXPECT_EQ(scene.run({"balance"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"delete", "--yes", "--json"}).json().at("deleted"), true);
    EXPECT_EQ(scene.run({"delete", "--yes", "--json"}).code(), "wallet-missing");
    EXPECT_EQ(restore(scene).status, ExitStatus::done);
}

TEST(Restore, TakesTheWordsAsCreatePrintsThem) {
    const Scene scene;
    std::string rows;
    for (int number = 1; number <= 12; ++number) {
        rows += "  " + std::to_string(number) + (number == 12 ? " about" : " abandon") +
                (number % 4 == 0 ? "\n" : "   ");
    }
    const Outcome outcome =
        scene.run({"restore", "--mnemonic-file", scene.write("rows", rows), "--json"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.json().at("fingerprint"), "73c5da0a");
}

TEST(Restore, MakesOtherKeysOfAPassphrase) {
    const Scene scene;
    const std::string passphrase = scene.write("passphrase", "TREZOR");
    const Json json = restore(scene, {"--json", "--passphrase-file", passphrase}).json();
    EXPECT_NE(json.at("fingerprint"), "73c5da0a");
}

TEST(Restore, RefusesWrongWordsWithoutRepeatingThem) {
    const Scene scene;
    struct Row {
        std::string words;
        const char* says;
    };
    const std::string eleven =
        "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon";
    for (const Row& row : {Row{eleven, "11"}, Row{eleven + " zoo", "wrong"},
                           Row{eleven + " abuot", "12"}, Row{"", "0"}}) {
        const std::string file = scene.write("bad.txt", row.words);
        const Outcome outcome = scene.run({"restore", "--mnemonic-file", file, "--json"});
        EXPECT_EQ(outcome.status, ExitStatus::failed);
        EXPECT_EQ(outcome.code(), "bad-mnemonic");
        EXPECT_NE(outcome.err.find(row.says), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.err.find("abandon"), std::string::npos) << outcome.err;
    }
    EXPECT_EQ(scene.run({"wallets", "--json"}).json().at("wallets").size(), 0U);
}

TEST(Restore, TakesCorrectionsOfSingleWords) {
    const std::string_view words = "one two three four";
    EXPECT_EQ(corrected_words(words, "zwei", 2), "one zwei three four");
    EXPECT_EQ(corrected_words(words, "3 drei", 2), "one two drei four");
    EXPECT_EQ(corrected_words(words, " 3.drei vier fuenf", 2), "one two drei vier fuenf");
    EXPECT_EQ(corrected_words(words, "five", 5), "one two three four five");
    EXPECT_EQ(corrected_words(words, "99 five", 1), "one two three four five");
    EXPECT_EQ(corrected_words(words, "0 eins", 3), "eins two three four");
    EXPECT_EQ(corrected_words("", "eins", 1), "eins");
    EXPECT_EQ(corrected_words(words, "-2", 5), "one three four");
    EXPECT_EQ(corrected_words(words, " -1  -4 ", 5), "two three");
    EXPECT_EQ(corrected_words(words, "-5", 5), words);
    EXPECT_EQ(corrected_words(words, "-", 5), words);
    EXPECT_EQ(corrected_words(words, "-two", 5), words);
    EXPECT_EQ(corrected_words(words, "", 1), words);
}

TEST(Info, ShowsTheFilterThatPeersGet) {
    const Scene scene;
    ASSERT_EQ(restore(scene).status, ExitStatus::done);
    const Json filter = scene.run({"info", "--json"}).json().at("filter");
    const Json inspected = scene.run({"filter", "inspect", "--wallet-filter", "--json"}).json();
    EXPECT_EQ(filter.at("privacy"), "fast");
    for (const char* key : {"bytes", "hash_functions", "tweak"}) {
        EXPECT_EQ(filter.at(key), inspected.at(key)) << key;
    }
    EXPECT_NE(scene.run({"info"}).out.find("fast: 1 in 100,000 of strangers' addresses"),
              std::string::npos);
}

TEST(Info, SaysWhatDescriptorsWithoutATypeAre) {
    const Scene scene;
    const std::string keys =
        "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd,"
        "0260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5e154050a9346ea98ce600";
    ASSERT_EQ(scene.run({"watch", "wsh(sortedmulti(2," + keys + "))"}).status, ExitStatus::done);
    const std::string text = scene.run({"info"}).out;
    EXPECT_NE(text.find(" wsh(sortedmulti(2 of 2))\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("BIP"), std::string::npos) << text;
    EXPECT_NE(scene.run({"wallets"}).out.find("wsh(sortedmulti(2 of 2))"), std::string::npos);
    const Json info = scene.run({"info", "--json"}).json();
    EXPECT_EQ(info.at("type"), nullptr);
    EXPECT_EQ(info.at("accounts"), Json::array());
}

TEST(Restore, BoundsTheFileAndDoesNotNameIt) {
    const Scene scene;
    const std::string huge = scene.write("huge", std::string(5'000, 'a'));
    EXPECT_EQ(scene.run({"restore", "--mnemonic-file", huge}).status, ExitStatus::failed);
    const Outcome typed = scene.run({"restore", "--mnemonic-file", kMnemonic});
    EXPECT_EQ(typed.status, ExitStatus::usage);
    EXPECT_EQ(typed.err.find("abandon"), std::string::npos) << typed.err;
    EXPECT_EQ(scene.run({"restore", "--mnemonic-file", scene.folder().string()}).status,
              ExitStatus::failed);
    EXPECT_EQ(scene.run({"restore"}).status, ExitStatus::usage);
}

TEST(Wallets, AreListedWithThoseThatAreBroken) {
    const Scene scene;
    EXPECT_EQ(scene.run({"wallets", "--json"}).json().at("wallets").size(), 0U);
    ASSERT_EQ(scene.run({"create", "--wallet", "good"}).status, ExitStatus::done);
    scene.write("regtest/wallets/broken.db", "not a database, but long enough to be looked at");
    scene.write("regtest/wallets/notes.txt", "no wallet");
    const Json wallets = scene.run({"wallets", "--json"}).json().at("wallets");
    ASSERT_EQ(wallets.size(), 2U);
    EXPECT_EQ(wallets[0].at("wallet"), "broken");
    EXPECT_TRUE(wallets[0].contains("problem"));
    EXPECT_EQ(wallets[1].at("wallet"), "good");
    EXPECT_TRUE(wallets[1].at("synced_height").is_null());
    EXPECT_NE(scene.run({"wallets"}).out.find("good"), std::string::npos);
}

TEST(Wallets, AreNotListedAsEmptyIfTheirLabelsAreDamaged) {
    const Scene scene;
    ASSERT_EQ(scene.run({"create"}).status, ExitStatus::done);
    const std::string ref(2'000, 'a');
    SQLite::Database(scene.path("regtest/wallets/default.db").string(), SQLite::OPEN_READWRITE)
        .exec("INSERT INTO label_record VALUES ('output', '" + ref + "', '', 1, NULL, 0, '')");
    const Json listed = scene.run({"wallets", "--json"}).json().at("wallets").at(0);
    EXPECT_TRUE(listed.contains("problem")) << listed;
    EXPECT_FALSE(listed.contains("total_sat")) << listed;
}

TEST(Wallets, AreListedWithTheNetworkAndThoseOfOtherNetworks) {
    const Scene scene;
    EXPECT_EQ(scene.run({"wallets"}).out, "No wallets on regtest.\n");
    ASSERT_EQ(restore(scene).status, ExitStatus::done);
    for (const char* name : {"a", "b"}) {
        ASSERT_EQ(scene.run({"--network", "signet", "--wallet", name, "create", "--json"}).status,
                  ExitStatus::done);
    }
    const std::string text = scene.run({"wallets"}).out;
    EXPECT_TRUE(text.starts_with("Wallets on regtest\n\nwallet")) << text;
    EXPECT_NE(text.find("\ndefault  0.00000000"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("\n\nOn signet (--network signet): a, b\n")) << text;
    const Json json = scene.run({"wallets", "--json"}).json();
    EXPECT_EQ(json.at("other_networks"), Json({{"signet", {"a", "b"}}}));
    EXPECT_EQ(scene.run({"--network", "testnet4", "wallets"}).out,
              "No wallets on testnet4.\n\nOn signet (--network signet): a, b\n"
              "On regtest (--network regtest): default\n");
}

TEST(WalletCommands, NameTheNetworkThatHasTheWallet) {
    const Scene scene;
    ASSERT_EQ(restore(scene).status, ExitStatus::done);
    const Outcome missing = scene.run({"--network", "testnet4", "balance", "--json"});
    EXPECT_EQ(missing.code(), "wallet-missing");
    EXPECT_NE(missing.err.find("there is no wallet 'default' on testnet4, but there is one on "
                               "regtest (--network regtest); "),
              std::string::npos)
        << missing.err;
    const Outcome other = scene.run({"--network", "testnet4", "--wallet", "x", "balance"});
    EXPECT_EQ(other.err.find("but there is one"), std::string::npos) << other.err;
}

TEST(WalletCommands, SayThatThereIsNoWallet) {
    const Scene scene;
    for (const char* command :
         {"info", "balance", "utxos", "history", "addresses", "receive", "sync"}) {
        const Outcome outcome = scene.run({command, "--json"});
        EXPECT_EQ(outcome.status, ExitStatus::wallet) << command;
        EXPECT_EQ(outcome.code(), "wallet-missing") << command;
    }
    EXPECT_FALSE(std::filesystem::exists(scene.path("regtest")));
}

TEST(WalletCommands, TellDamageFromALaterVersion) {
    const Scene scene;
    ASSERT_EQ(scene.run({"create"}).status, ExitStatus::done);
    const std::filesystem::path file = scene.path("regtest/wallets/default.db");
    {
        // SQLite stores user_version, which is petal's schema version, in big-endian order at
        // offset 60.
        std::fstream database(file, std::ios::in | std::ios::out | std::ios::binary);
        database.seekp(60);
        database.write("\x00\x00\x03\xe8", 4);
    }
    const Outcome newer = scene.run({"balance", "--json"});
    EXPECT_EQ(newer.status, ExitStatus::failed);
    EXPECT_EQ(newer.code(), "newer-version");

    std::filesystem::remove(file);
    scene.write("regtest/wallets/default.db", std::string(8'192, 'x'));
    const Outcome damaged = scene.run({"balance", "--json"});
    EXPECT_EQ(damaged.status, ExitStatus::damaged);
    EXPECT_EQ(damaged.code(), "wallet-damaged");
}

TEST(WalletCommands, RefuseADataDirectoryThatIsAFile) {
    const Scene scene;
    const std::string file = scene.write("file", "");
    for (const char* command : {"create", "balance", "wallets", "sync"}) {
        const Outcome outcome =
            Scene::run_plain({command, "--json", "--network", "regtest", "--datadir", file});
        EXPECT_EQ(outcome.status, ExitStatus::failed) << command;
        EXPECT_EQ(outcome.code(), "unusable-data-directory") << command;
    }
}

TEST(WalletCommands, HaveTheContractsKeysWhileEmpty) {
    const Scene scene;
    ASSERT_EQ(scene.run({"create"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"balance", "--json"}).json(),
              Json::parse(
                  R"({"confirmed_sat":0,"pending_sat":0,"immature_sat":0,"total_sat":0,)"
                  R"("unconfirmed_spent_sat":0,"frozen_sat":0,"height":null,"synced_height":null,)"
                  R"("synced_time":null,"header_height":null,"tip_age_s":null,"synced":false,)"
                  R"("reorganised":false,"minimum_work":true,"ahead_of_clock_until_time":null})"));
    const std::string standing =
        R"("synced_height":null,"synced_time":null,"header_height":null,"tip_age_s":null,)"
        R"("synced":false,"reorganised":false,"minimum_work":true})";
    EXPECT_EQ(scene.run({"utxos", "--json"}).out, "{\"utxos\":[]," + standing + "\n");
    EXPECT_EQ(scene.run({"history", "--json"}).out, "{\"transactions\":[]," + standing + "\n");
    EXPECT_EQ(scene.run({"balance"}).out,
              "  total                 0.00000000 BTC\n"
              "Not synced: no block is searched yet; `petal --network regtest --datadir " +
                  scene.folder().string() + " sync` searches.\n");
}

TEST(Sync, NeedsANodeIfNoneIsKnown) {
    const Scene scene;
    ASSERT_EQ(scene.run({"--network", "testnet4", "create"}).status, ExitStatus::done);
    const Outcome outcome =
        scene.run({"--network", "testnet4", "sync", "--dns-seed", "none", "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_NE(outcome.err.find("--connect"), std::string::npos);
}

}  // namespace
}  // namespace petal::cli
