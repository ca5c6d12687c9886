#include "cli/filter/general/general_commands.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "bloom/large_filter_file.h"
#include "chain/network_params.h"
#include "cli/filter/general/filter_file.h"
#include "cli/text/command_error.h"
#include "net/wire/message_header.h"
#include "tests/cli/scene.h"
#include "tests/support/file_content.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

class GeneralFilters : public testing::Test {
protected:
    std::string create(const std::string& name, const std::string& expected) const {
        const std::string file = scene_.path(name).string();
        const Outcome outcome =
            scene_.run({"filter", "create", file, "--expected", expected, "--json"});
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        return file;
    }

    Outcome add(std::vector<std::string> arguments, const std::string& input = "") const {
        arguments.insert(arguments.begin(), {"filter", "add", "--json"});
        return scene_.run(arguments, input);
    }

    bool has(const std::string& file, const std::string& element) const {
        return scene_.run({"filter", "match", "--file", file, element, "--json"})
            .json()
            .at("matches")[0]
            .at("match");
    }

    Scene scene_;
    /// A filter for peers, and one that is too large for them.
    std::vector<std::string> both_ = {create("small.filter", "1000"),
                                      create("large.filter", "100000")};
};

TEST_F(GeneralFilters, AreSizedAsByGuava) {
    const std::string file = scene_.path("new.filter").string();
    const Json small =
        scene_.run({"filter", "create", file, "--expected", "1000", "--json"}).json();
    EXPECT_EQ(small.at("for_peers"), true);
    EXPECT_EQ(small.at("fpr"), 0.03);
    EXPECT_EQ(small.at("bits"), 7'360);
    EXPECT_EQ(small.at("hash_functions"), 5);
    EXPECT_NEAR(small.at("fpr_at_elements").get<double>(), 0.03, 0.001);
    EXPECT_EQ(scene_.run({"filter", "inspect", file, "--json"}).json().at("bytes"), 920);

    const std::string large = scene_.path("larger.filter").string();
    const std::vector<std::string> command{"filter", "create", large,  "--expected",
                                           "100000", "--fpr",  "0.001"};
    const Outcome outcome = scene_.run(command);
    EXPECT_NE(outcome.out.find("It is no filter for a peer: BIP37 allows 36,000 bytes"),
              std::string::npos)
        << outcome.out;
    EXPECT_EQ(std::filesystem::file_size(large), 64 + bloom::general_size(100'000, 0.001).bits / 8);
    const Outcome again = scene_.run(command);
    EXPECT_EQ(again.status, ExitStatus::failed);
    EXPECT_NE(again.err.find("already"), std::string::npos) << again.err;
    EXPECT_EQ(scene_.run({"filter", "create", large}).status, ExitStatus::usage);
    EXPECT_EQ(scene_.run({"filter", "create", large, "--expected", "9", "--fpr", "1e-16"}).status,
              ExitStatus::usage);
}

TEST_F(GeneralFilters, KeepWhatIsAdded) {
    for (const std::string& file : both_) {
        EXPECT_FALSE(has(file, "text:https://a.example/"));
        const Json first = add({file, "text:https://a.example/", "99108ad8", "99108ad8"}).json();
        EXPECT_EQ(first.at("added"), 2) << file;
        EXPECT_EQ(first.at("present"), 1) << file;
        EXPECT_GT(first.at("fpr_actual").get<double>(), 0);
        EXPECT_TRUE(has(file, "text:https://a.example/")) << file;
        EXPECT_TRUE(has(file, "hex:99108ad8")) << file;
        const Json lines =
            add({file, "--stdin"}, "text:https://a.example/\r\n\n text:https://b.example/ \n")
                .json();
        EXPECT_EQ(lines.at("added"), 1) << file;
        EXPECT_EQ(lines.at("present"), 1) << file;
        const Outcome texts = scene_.run({"filter", "add", file, "--stdin", "--text"},
                                         "https://b.example/\nhttps://c.example/?q=a b\n");
        EXPECT_EQ(texts.out, "added 1 element; 1 was in it already, or matched by chance\n");
        const Outcome asked = scene_.run({"filter", "match", "--file", file, "--stdin", "--text"},
                                         "https://c.example/?q=a b\nhttps://d.example/\n");
        EXPECT_EQ(asked.out, "match     https://c.example/?q=a b\nno match  https://d.example/\n");
    }
}

TEST_F(GeneralFilters, ForPeersKeepTheirFormAndMode) {
    const std::string& file = both_[0];
    ASSERT_EQ(::chmod(file.c_str(), 06640), 0);
    const std::string link = scene_.path("link").string();
    std::filesystem::create_symlink("small.filter", link);
    add({link, "aa"});
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640U) << "no setuid bit is copied";
    const std::string hex = test::file_text(file);
    EXPECT_TRUE(hex.starts_with("fd9803")) << hex.substr(0, 10);
    EXPECT_TRUE(hex.ends_with("01\n"));

    const auto payload = *chain::from_hex("03614e9b050000000000000001");
    const std::string binary =
        scene_.write("filter.bin", std::string(payload.begin(), payload.end()));
    EXPECT_EQ(add({binary, "0102"}).json().at("added"), 1);
    EXPECT_EQ(test::file_text(binary).size(), payload.size());
    EXPECT_TRUE(has(binary, "0102"));
}

// A filter of BIP37 may be a program, too: its first byte may be that of an ELF file.
TEST_F(GeneralFilters, OfOtherUsersAreNotReplaced) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
    constexpr uid_t kNobody = 65'534;
    const std::string before = test::file_text(both_[0]);
    ASSERT_EQ(::chown(both_[0].c_str(), kNobody, kNobody), 0);
    const Outcome refused = add({both_[0], "aa"});
    EXPECT_EQ(refused.code(), "unwritable-file");
    EXPECT_NE(refused.err.find("belongs to another user"), std::string::npos) << refused.err;
    EXPECT_EQ(test::file_text(both_[0]), before);
}

TEST_F(GeneralFilters, ForPeersStayWholeMessages) {
    const net::Magic& magic = chain::find_network("signet")->magic;
    const auto payload = *chain::from_hex("03614e9b050000000000000001");
    const chain::Bytes message = net::encode_frame(magic, "filterload", payload);
    const std::string binary =
        scene_.write("message.bin", std::string(message.begin(), message.end()));
    const std::string text = scene_.write("message.hex", chain::to_hex(message));
    for (const std::string& file : {binary, text}) {
        EXPECT_EQ(add({file, "0102"}).json().at("added"), 1);
        EXPECT_TRUE(has(file, "0102"));
    }
    const std::string changed = test::file_text(binary);
    EXPECT_EQ(changed.size(), message.size());
    EXPECT_EQ(changed.substr(0, 20), std::string(message.begin(), message.begin() + 20));
    EXPECT_EQ(test::file_text(text), chain::to_hex(chain::as_bytes(changed)) + "\n");
}

TEST_F(GeneralFilters, KeepNothingOrAllBeforeALineThatIsNoElement) {
    const std::string input = "text:a\ntext:b\nnonsense\ntext:c\n";
    const std::string before = test::file_text(both_[0]);
    const Outcome small = add({both_[0], "--stdin"}, input);
    EXPECT_EQ(small.code(), "bad-element");
    EXPECT_NE(small.err.find("line 3: nonsense: "), std::string::npos) << small.err;
    EXPECT_NE(small.err.find("nothing was added"), std::string::npos) << small.err;
    EXPECT_EQ(test::file_text(both_[0]), before);

    const Outcome large = add({both_[1], "--stdin"}, input);
    EXPECT_NE(large.err.find("the elements before it were added: 2"), std::string::npos)
        << large.err;
    EXPECT_TRUE(has(both_[1], "text:b"));
    EXPECT_FALSE(has(both_[1], "text:c"));
}

TEST_F(GeneralFilters, AreChangedByOneProcessAtATime) {
    for (const std::string& file : both_) {
        const FilterFile locked{file};
        try {
            const FilterFile second(file, std::chrono::milliseconds{0});
            ADD_FAILURE() << file;
        } catch (const CommandError& error) {
            EXPECT_EQ(error.code(), "file-in-use");
        }
    }
    EXPECT_EQ(add({both_[0], "aa"}).status, ExitStatus::done);
}

TEST_F(GeneralFilters, AreNotFilledUp) {
    const std::string tiny = scene_.write("tiny", "0100050000000000000001");
    std::string lines;
    for (int i = 0; i < 100; ++i) lines += "text:" + std::to_string(i) + "\n";
    const Outcome outcome = add({tiny, "--stdin"}, lines);
    EXPECT_EQ(outcome.code(), "bad-filter");
    EXPECT_NE(outcome.err.find("match everything"), std::string::npos) << outcome.err;
    EXPECT_EQ(test::file_text(tiny), "0100050000000000000001");
}

TEST_F(GeneralFilters, RefuseWhatIsNoFilter) {
    EXPECT_EQ(add({scene_.path("missing").string(), "aa"}).code(), "unreadable-file");
    EXPECT_EQ(add({scene_.write("payment.hex", "0200000001"), "aa"}).code(), "bad-filter");
    EXPECT_EQ(add({scene_.folder().string(), "aa"}).status, ExitStatus::failed);
    EXPECT_EQ(add({both_[0]}).status, ExitStatus::usage);
    const std::string cut = scene_.write("cut", test::file_text(both_[1]).substr(0, 1'000));
    EXPECT_EQ(add({cut, "aa"}).code(), "bad-filter");
    EXPECT_EQ(scene_.run({"filter", "match", "--file", cut, "aa", "--json"}).code(), "bad-filter");
    for (const char* command : {"inspect", "compare"}) {
        const Outcome outcome = scene_.run({"filter", command, both_[1], both_[1]});
        EXPECT_NE(outcome.status, ExitStatus::done);
    }
    const Outcome inspected = scene_.run({"filter", "inspect", both_[1], "--json"});
    EXPECT_EQ(inspected.code(), "bad-filter");
    EXPECT_NE(inspected.err.find("larger than a filter for peers"), std::string::npos)
        << inspected.err;
}

}  // namespace
}  // namespace petal::cli
