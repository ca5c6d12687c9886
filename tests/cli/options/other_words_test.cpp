#include "cli/options/other_words.h"

#include <gtest/gtest.h>

#include "cli/commands.h"
#include "cli/options/command_line.h"

namespace petal::cli {
namespace {

TEST(OtherWords, AreAnsweredWithPetalsCommands) {
    EXPECT_EQ(answer_to_other_word("getnewaddress"), "petal calls it `petal receive --new`");
    EXPECT_EQ(answer_to_other_word("addRequest"), "petal calls it `petal receive --amount`");
    EXPECT_EQ(answer_to_other_word("walletpassphrase"),
              "petal asks for the password when it needs it, or reads it from --password-file");
    EXPECT_EQ(answer_to_other_word("address"), "petal calls it `petal receive`");
    EXPECT_NE(answer_to_other_word("list").find("`petal history`"), std::string::npos);
    EXPECT_EQ(answer_to_other_word("sync"), "");
    EXPECT_EQ(answer_to_other_word(""), "");
}

TEST(OtherWords, HaveCommandsWithHelps) {
    for (const char* const word : {"getnewaddress",
                                   "listtransactions",
                                   "listunspent",
                                   "getbalance",
                                   "sendtoaddress",
                                   "bumpfee",
                                   "getwalletinfo",
                                   "listwallets",
                                   "importdescriptors",
                                   "signmessage",
                                   "payto",
                                   "addrequest",
                                   "listaddresses",
                                   "gettransaction",
                                   "abandontransaction",
                                   "rescanblockchain",
                                   "dumpwallet",
                                   "getpeerinfo",
                                   "addnode",
                                   "walletprocesspsbt"}) {
        const std::string answer = answer_to_other_word(word);
        const std::size_t begin = answer.find("`petal ");
        ASSERT_NE(begin, answer.npos) << word;
        std::istringstream words(answer.substr(begin + 7, answer.rfind('`') - begin - 7));
        std::vector<std::string> line;
        for (std::string each; words >> each;) {
            if (!each.starts_with('-')) line.push_back(each);
        }
        line.emplace_back("--help");
        const auto parsed = parse_command_line(line, add_all_commands);
        EXPECT_EQ(std::get<RequestedText>(parsed).status, ExitStatus::done) << word;
    }
}

}  // namespace
}  // namespace petal::cli
