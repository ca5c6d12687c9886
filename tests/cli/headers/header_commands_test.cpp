#include "cli/headers/header_commands.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "cli/options/data_folder.h"
#include "client/data/stored_chain.h"
#include "tests/cli/scene.h"
#include "tests/support/file_content.h"
#include "tests/support/test_chain.h"
#include "tests/support/test_data.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

std::string raw(const std::vector<chain::BlockHeader>& headers) {
    std::string bytes;
    for (const chain::BlockHeader& header : headers) {
        const auto serialized = header.serialize();
        bytes.append(serialized.begin(), serialized.end());
    }
    return bytes;
}

const std::vector<chain::BlockHeader>& hundred() {
    static const auto headers = test::mine_headers(test::regtest_params().genesis, 100);
    return headers;
}

TEST(Headers, AreImportedAndExported) {
    const Scene scene;
    const Json imported =
        scene.run({"headers", "import", scene.write("in", raw(hundred())), "--json"}).json();
    EXPECT_EQ(imported.at("network"), "regtest");
    EXPECT_EQ(imported.at("read"), 100);
    EXPECT_EQ(imported.at("added"), 100);
    EXPECT_EQ(imported.at("tip").at("height"), 100);
    EXPECT_EQ(imported.at("tip").at("hash"), hundred().back().hash().to_hex());

    const Json status = scene.run({"headers", "status", "--json"}).json();
    EXPECT_EQ(status.at("headers"), 101);
    EXPECT_EQ(status.at("start").at("height"), 0);
    EXPECT_EQ(status.at("tip"), imported.at("tip"));
    EXPECT_EQ(status.at("chainwork"), std::string(62, '0') + "ca");
    EXPECT_EQ(status.at("minimum_chainwork"), std::string(64, '0'));
    EXPECT_EQ(status.at("has_minimum_chainwork"), true);

    const Json exported = scene.run({"headers", "export", scene.path("out"), "--json"}).json();
    EXPECT_EQ(exported.at("headers"), 101);
    EXPECT_EQ(test::file_text(scene.path("out")),
              raw({test::regtest_params().genesis}) + raw(hundred()));
    EXPECT_EQ(scene.run({"headers", "import", scene.path("out"), "--json"}).json().at("added"), 0);

    const Json verified = scene.run({"headers", "verify", "--json"}).json();
    EXPECT_EQ(verified.at("valid"), true);
    EXPECT_EQ(verified.at("headers"), 101);
}

TEST(Headers, AreShownToPeople) {
    const Scene scene;
    const std::string file = scene.write("in", raw(hundred()));
    EXPECT_TRUE(scene.run({"headers", "import", file})
                    .out.starts_with("100 headers read, 100 of them new; now at block 100 of "));
    EXPECT_TRUE(scene.run({"headers", "import", file})
                    .out.starts_with("100 headers read, 0 of them new; now at block 100 of "));
    const std::string status = scene.run({"headers", "status"}).out;
    EXPECT_TRUE(status.starts_with("tip      block 100 of "));
    // 0xca: 101 blocks of two hashes each
    EXPECT_NE(status.find("work     2^7.66 hashes on average, chainwork\n         00000"),
              std::string::npos)
        << status;
    EXPECT_TRUE(scene.run({"headers", "verify"}).out.starts_with("101 headers checked in "));
    EXPECT_TRUE(scene.run({"headers", "export", scene.path("out")})
                    .out.starts_with("101 headers written, from block 0 up to block 100 of "));
}

// A process that syncs appends to the file while another process verifies it.
TEST(Headers, AreNotDamagedWhileTheyAreWritten) {
    const Scene scene;
    ASSERT_EQ(scene.run({"headers", "import", scene.write("in", raw(hundred()))}).status,
              ExitStatus::done);
    const std::filesystem::path file = scene.path("regtest/headers.dat");
    const std::string whole = test::file_text(file);
    std::filesystem::remove(scene.path("regtest/headers.dat.index"));
    std::filesystem::resize_file(file, whole.size() - 100);
    GlobalOptions global;
    global.network = std::make_shared<chain::NetworkParams>(test::regtest_params());
    global.data_dir = scene.folder();

    int pauses = 0;
    const auto written = client::examine_stored_chain(data_of(global), [&] {
        if (++pauses == 2) std::ofstream(file, std::ios::binary) << whole;
    });
    EXPECT_EQ(pauses, 2);
    EXPECT_EQ(written->file.damaged_bytes(), 0U);
    EXPECT_EQ(written->chain.tip().height, 100U);

    std::filesystem::resize_file(file, whole.size() - 100);
    const auto torn = client::examine_stored_chain(data_of(global), [&] { ++pauses; });
    EXPECT_GT(torn->file.damaged_bytes(), 0U);
    EXPECT_EQ(pauses, 11);
    EXPECT_EQ(scene.run({"headers", "verify", "--json"}).code(), "headers-damaged");
}

// The clock was ahead when they were stored, and was set back since.
TEST(Headers, FromTheFutureNameTheirRemedy) {
    const Scene scene;
    ASSERT_EQ(scene.run({"headers", "import", scene.write("in", raw(hundred()))}).status,
              ExitStatus::done);
    constexpr std::uint32_t kFuture = 4'000'000'000;
    {
        chain::HeaderChain chain(test::regtest_params());
        chain::HeaderFile file(scene.path("regtest") / "headers.dat", chain, kFuture);
        const auto late = test::mine_header(hundred().back(), kFuture);
        ASSERT_EQ(chain.accept({{late}}, kFuture).added, 1U);
        file.flush();
    }
    const Outcome refused = scene.run({"headers", "status"});
    EXPECT_EQ(refused.status, ExitStatus::failed);
    EXPECT_NE(refused.err.find("headers.dat: it has headers from the future: set this machine's "
                               "clock; if it is right, `petal --network regtest --datadir " +
                               scene.folder().string() + " headers reset` removes these headers"),
              std::string::npos)
        << refused.err;
    EXPECT_EQ(scene.run({"headers", "reset", "--yes"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"headers", "import", scene.path("in")}).status, ExitStatus::done);
}

TEST(Headers, AreMissingAtFirst) {
    const Scene scene;
    for (const std::string command : {"status", "verify"}) {
        const Outcome outcome = scene.run({"headers", command, "--json"});
        EXPECT_EQ(outcome.status, ExitStatus::failed);
        EXPECT_EQ(outcome.code(), "no-headers");
    }
}

TEST(Headers, AreTakenUpToTheFirstBadOne) {
    const Scene scene;
    auto headers = hundred();
    headers[50].time = 1;
    test::find_nonce(headers[50]);
    const Outcome outcome =
        scene.run({"headers", "import", scene.write("in", raw(headers)), "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "bad-header");
    EXPECT_NE(outcome.err.find("header 51 of"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("median"), std::string::npos) << outcome.err;
    EXPECT_EQ(scene.run({"headers", "status", "--json"}).json().at("tip").at("height"), 50);
}

TEST(Headers, AreNotTakenFromOtherFiles) {
    const Scene scene;
    const std::string whole = raw(hundred());
    for (const std::size_t size : {std::size_t{0}, std::size_t{79}, whole.size() - 1}) {
        const std::string file = scene.write("in", whole.substr(0, size));
        EXPECT_EQ(scene.run({"headers", "import", file, "--json"}).code(), "not-headers") << size;
    }
    const Outcome empty = scene.run({"headers", "import", scene.write("empty", "")});
    EXPECT_NE(empty.err.find("is empty"), std::string::npos) << empty.err;
    EXPECT_EQ(scene.run({"headers", "import", scene.path("none"), "--json"}).code(),
              "unreadable-file");
    const std::string loose = scene.write("in", whole.substr(80));
    EXPECT_EQ(scene.run({"headers", "import", loose, "--json"}).code(), "bad-header");
    EXPECT_EQ(scene.run({"headers", "import"}).status, ExitStatus::usage);
}

// Only whole headers are accepted.
TEST(Headers, AreNotImportedFromAFileThatIsCutInsideAHeader) {
    const Scene scene;
    const auto first = std::vector(hundred().begin(), hundred().begin() + 4);
    const std::string whole = raw(first);
    const auto store = scene.path("regtest/headers.dat");
    (void)scene.run({"headers", "import", scene.write("in", whole.substr(0, 80)), "--json"});
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        // Each size runs a command, so most are skipped.
        if (size > 81 && size % 80 > 1 && size % 80 < 79) continue;
        SCOPED_TRACE(size);
        const std::string before = test::file_text(store);
        const std::string file = scene.write("in", whole.substr(0, size));
        const Outcome outcome = scene.run({"headers", "import", file, "--json"});
        if (size > 0 && size % 80 == 0) {
            ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
            ASSERT_EQ(outcome.json().at("tip").at("height"), size / 80);
        } else {
            ASSERT_EQ(outcome.status, ExitStatus::failed);
            ASSERT_EQ(outcome.code(), "not-headers");
            ASSERT_EQ(test::file_text(store), before) << "nothing is lost";
        }
    }
}

// Long enough for an index. With an index, damage is found only in the headers that are read.
TEST(Headers, AreRepairedByTheCommandThatFindsThemDamaged) {
    const auto headers = test::mine_headers(test::regtest_params().genesis, 17'000);
    const Scene scene;
    const std::string file = scene.write("in", raw(headers));
    ASSERT_EQ(scene.run({"headers", "import", file}).status, ExitStatus::done);
    ASSERT_TRUE(std::filesystem::exists(scene.path("regtest/headers.dat.index")));
    std::string bytes = test::file_text(scene.path("regtest/headers.dat"));
    bytes[128 * 4'001 + 70] ^= 1;  // within the record of block 4,000
    (void)scene.write("regtest/headers.dat", bytes);

    const std::vector<std::string> command{"headers", "verify", "--json"};
    for (int time = 0; time < 2; ++time) {  // verifying repairs nothing
        const Outcome outcome = scene.run(command);
        EXPECT_EQ(outcome.status, ExitStatus::damaged) << outcome.err;
        EXPECT_EQ(outcome.code(), "headers-damaged");
        EXPECT_EQ(test::file_text(scene.path("regtest/headers.dat")), bytes);
    }
    const Json again = scene.run({"headers", "import", file, "--json"}).json();
    EXPECT_EQ(again.at("added"), 17'000 - 3'999);
    EXPECT_EQ(again.at("tip").at("height"), 17'000);
}

TEST(Headers, AreNeverADanglingSymbolicLink) {
    const Scene scene;
    ASSERT_EQ(scene.run({"create"}).status, ExitStatus::done);
    std::filesystem::create_symlink("/nowhere/headers.dat", scene.path("regtest/headers.dat"));
    const std::vector<std::string> commands[] = {
        {"headers", "verify"}, {"headers", "reset", "--yes"}, {"headers", "status"}};
    for (std::vector<std::string> command : commands) {
        command.emplace_back("--json");
        const Outcome outcome = scene.run(command);
        EXPECT_EQ(outcome.status, ExitStatus::failed);
        EXPECT_NE(outcome.err.find("it is a symbolic link"), std::string::npos) << outcome.err;
    }
}

TEST(Headers, ThatAreDamagedAreReported) {
    const auto headers = test::mine_headers(test::regtest_params().genesis, 136);
    const Scene scene;
    const std::string file = scene.write("in", raw(headers));
    ASSERT_EQ(scene.run({"headers", "import", file}).status, ExitStatus::done);
    std::string bytes = test::file_text(scene.path("regtest/headers.dat"));
    bytes[128 * 23 + 70] ^= 1;  // within the record of block 22
    (void)scene.write("regtest/headers.dat", bytes);
    std::filesystem::permissions(scene.path("regtest/headers.dat"),
                                 std::filesystem::perms::owner_read);

    const Outcome verified = scene.run({"headers", "verify", "--json"});
    EXPECT_EQ(verified.status, ExitStatus::damaged);
    EXPECT_EQ(verified.code(), "headers-damaged");
    EXPECT_NE(verified.err.find("damaged after block 21"), std::string::npos) << verified.err;
    const Outcome exported = scene.run({"headers", "export", scene.path("out"), "--json"});
    EXPECT_EQ(exported.status, ExitStatus::damaged);
    EXPECT_EQ(exported.code(), "headers-damaged");
    EXPECT_FALSE(std::filesystem::exists(scene.path("out")));
    const Outcome status = scene.run({"headers", "status", "--json"});
    EXPECT_EQ(status.json().at("damaged_bytes"), bytes.size() - 128 * 23);
    EXPECT_NE(status.err.find("is damaged after block 21"), std::string::npos) << status.err;
    EXPECT_EQ(test::file_text(scene.path("regtest/headers.dat")), bytes);
}

TEST(Headers, GoThroughPipes) {
    const auto headers = test::mine_headers(test::regtest_params().genesis, 30);
    const Scene scene;
    const Outcome imported = scene.run({"headers", "import", "-", "--json"}, raw(headers));
    EXPECT_EQ(imported.json().at("added"), 30);
    const Outcome exported = scene.run({"headers", "export", "-"});
    EXPECT_EQ(exported.out.substr(80), raw(headers)) << "after the genesis block";
    EXPECT_EQ(scene.run({"headers", "import", "-", "--json"}, "x").code(), "not-headers");
    EXPECT_EQ(scene.run({"headers", "export", "-", "--json"}).status, ExitStatus::usage);

    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const std::string bytes = raw(hundred());
    ASSERT_EQ(::write(pipe[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(pipe[1]);
    const std::string named = "/dev/fd/" + std::to_string(pipe[0]);
    EXPECT_EQ(scene.run({"headers", "import", named, "--json"}).json().at("read"), 100);
    ::close(pipe[0]);
}

// What a pipe holds is not known before, nor kept in memory as a whole.
TEST(Headers, OfAPipeAreKeptThoughItEndsWithinAHeader) {
    const auto headers = test::mine_headers(test::regtest_params().genesis, 2'010);
    const Scene scene;
    const Outcome outcome = scene.run({"headers", "import", "-", "--json"}, raw(headers) + "x");
    EXPECT_EQ(outcome.code(), "not-headers");
    EXPECT_NE(outcome.err.find("2,010 were new and are kept"), std::string::npos) << outcome.err;
    EXPECT_EQ(scene.run({"headers", "status", "--json"}).json().at("tip").at("height"), 2'010);
}

TEST(Headers, OfAnotherNetworkAreRefused) {
    const Scene scene;
    const std::string file = scene.write("in", raw(hundred()));
    const Outcome outcome =
        scene.run({"headers", "import", file, "--network", "mainnet", "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "bad-header");
}

// petal's first anchor on mainnet above the genesis block is at height 4032.
TEST(Headers, ThatContradictAnAnchorAreRefused) {
    const auto recorded = test::read_test_data("chains/mainnet_headers_0_10236.bin");
    if (!recorded) GTEST_SKIP() << test::kNoTestData;
    const Scene scene;
    const auto import = [&](const std::string& file, const std::string& option) {
        return scene.run({"headers", "import", file, option, "--network", "mainnet", "--json"});
    };
    const std::string below = scene.write("below", recorded->substr(0, 4032 * 80));
    ASSERT_EQ(import(below, "--from-genesis").json().at("tip").at("height"), 4031);

    std::string other = recorded->substr(4032 * 80, 80);
    other[79] ^= 1;  // the nonce
    const std::string file = scene.write("other", other);
    const Outcome outcome = import(file, "--json");
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "contradicts-anchor");
    EXPECT_NE(outcome.json().at("error").at("message").get<std::string>().find("block 4,032"),
              std::string::npos);
    EXPECT_EQ(import(file, "--from-genesis").code(), "bad-header")
        << "it is checked by the rules alone";
}

TEST(Headers, AreImportedIntoAPrivateFolder) {
    const Scene scene;
    const std::string file = scene.write("in", raw(hundred()));
    const mode_t mask = ::umask(0);
    const Outcome outcome = scene.run({"headers", "import", file});
    ::umask(mask);
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    for (const auto& [name, mode] :
         {std::pair{"regtest", 0700U}, std::pair{"regtest/headers.dat", 0600U}}) {
        struct stat status {};
        ASSERT_EQ(::stat(scene.path(name).c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, mode) << name;
    }
}

TEST(Headers, CannotBeWrittenAnywhere) {
    const Scene scene;
    (void)scene.run({"headers", "import", scene.write("in", raw(hundred()))});
    const Outcome outcome =
        scene.run({"headers", "export", scene.path("no/such/folder"), "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "unwritable-file");
    const auto other = scene.write("backup", "a wallet's");
    EXPECT_EQ(scene.run({"headers", "export", other, "--json"}).code(), "file-exists");
    EXPECT_EQ(test::file_text(other), "a wallet's");
}

}  // namespace
}  // namespace petal::cli
