#include "cli/terminal/console.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

TEST(Locale, IsOfUtf8IfTheFirstVariableSaysSo) {
    const auto is_utf8 = [](const char* all, const char* type, const char* language) {
        const test::ScopedVariable a("LC_ALL", all);
        const test::ScopedVariable b("LC_CTYPE", type);
        const test::ScopedVariable c("LANG", language);
        return has_utf8_locale();
    };
    EXPECT_TRUE(is_utf8(nullptr, nullptr, "de_DE.UTF-8"));
    EXPECT_TRUE(is_utf8("", "C.utf8", "C"));
    EXPECT_FALSE(is_utf8("C", nullptr, "de_DE.UTF-8"));
    EXPECT_FALSE(is_utf8(nullptr, nullptr, "de_DE.ISO-8859-1"));
    EXPECT_FALSE(is_utf8(nullptr, nullptr, nullptr));
}

TEST(ReadAtMost, EndsWithTheStreamOrAtTheLimit) {
    for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 65'537U, 200'000U}) {
        std::string content(size, 'x');
        if (size > 0) content.back() = 'y';
        std::istringstream shorter(content);
        EXPECT_EQ(read_at_most(size + 1, shorter), content) << size;
        std::istringstream exact(content);
        EXPECT_EQ(read_at_most(size, exact), content) << size;
        std::istringstream longer(content + content);
        EXPECT_EQ(read_at_most(size, longer), content) << size;
    }
}

TEST(ReadAtMost, ReadsNothingOfAFileThatDoesNotExist) {
    std::ifstream missing("/no/such/file");
    EXPECT_EQ(read_at_most(10, missing), "");
    EXPECT_FALSE(missing.eof());
}

}  // namespace
}  // namespace petal::cli
