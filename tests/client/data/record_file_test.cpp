#include "client/data/record_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace petal::client {
namespace {

class RecordFile : public testing::Test {
protected:
    Record read(const std::string& content, std::size_t max_bytes = 1'000) const {
        std::ofstream(file_) << content;
        return Record::read(file_, max_bytes);
    }

    test::TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "some.json";
};

TEST_F(RecordFile, KeepsValuesOfEachKind) {
    Record record;
    record.set("count", std::int64_t{-7});
    record.set("is", true);
    record.set("text", std::string("a\n\xff\u202e"));
    record.write(file_);
    const Record read = Record::read(file_, 1'000);
    EXPECT_EQ(read.integer("count"), -7);
    EXPECT_EQ(read.truth("is"), true);
    EXPECT_EQ(read.text("text"), "a\n\ufffd\u202e") << "bytes that are not UTF-8 are replaced";
    EXPECT_EQ(read.integer("is"), std::nullopt) << "a value of another kind is none";
    EXPECT_EQ(read.text("other"), std::nullopt);
}

TEST_F(RecordFile, ThatIsNoObjectHasNoMembers) {
    for (const char* content : {"", "{", "[1]", "7", R"({"count":1} 2)"}) {
        EXPECT_EQ(read(content).integer("count"), std::nullopt) << content;
    }
    EXPECT_EQ(Record::read(folder_.path() / "missing", 1'000).integer("count"), std::nullopt);
    EXPECT_EQ(Record::read(folder_.path(), 1'000).integer("count"), std::nullopt);
}

TEST_F(RecordFile, IsNotReadBeyondItsLimit) {
    const std::string content = R"({"count":1})";
    EXPECT_EQ(read(content, content.size()).integer("count"), 1);
    EXPECT_EQ(read(content, content.size() - 1).integer("count"), std::nullopt);
}

TEST_F(RecordFile, LeavesOutNumbersThatAreNo64BitIntegers) {
    const Record record = read(R"({"a":1.5,"b":9e300,"c":18446744073709551615,"d":null,"e":{}})");
    for (const char* name : {"a", "b", "c", "d", "e"}) {
        EXPECT_EQ(record.integer(name), std::nullopt) << name;
    }
}

}  // namespace
}  // namespace petal::client
