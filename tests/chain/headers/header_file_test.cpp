#include "chain/headers/header_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_chain.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;
using test::kNow;
using test::LetterTree;
using test::mine_headers;

// The sizes of the preamble and of one record, as in chain/README.md. The first record is that of
// the root.
constexpr std::size_t kPreambleBytes = 128;
constexpr std::size_t kRecordBytes = 128;

constexpr std::size_t file_bytes(std::size_t headers) {
    return kPreambleBytes + (1 + headers) * kRecordBytes;
}

class HeaderFileTest : public testing::Test {
protected:
    // Opens the file with a new chain, adds these headers, and writes the file.
    void store(const std::vector<BlockHeader>& headers) {
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{path_, chain, kNow};
        ASSERT_EQ(chain.accept(headers, kNow).error, std::nullopt);
        file.flush();
    }

    Bytes read_bytes() const { return test::file_content(path_); }
    // Makes a new file, because truncating a file makes some file systems wait for the disk.
    void write_bytes(ByteView bytes) const {
        fs::remove(path_);
        std::ofstream file(path_, std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    }

    struct Reopened {
        BlockRef tip;
        std::size_t repaired_bytes;
    };
    Reopened reopen() const {
        HeaderChain chain{test::regtest_params()};
        const HeaderFile file{path_, chain, kNow};
        return {chain.tip(), file.repaired_bytes()};
    }

    // The error with which opening the file fails; empty if it succeeds.
    std::string refusal(const NetworkParams& network = test::regtest_params(),
                        std::int64_t now = kNow) const {
        HeaderChain chain{network};
        try {
            const HeaderFile file{path_, chain, now};
        } catch (const HeaderFileError& error) {
            return error.what();
        }
        return {};
    }

    const test::TemporaryFolder folder_;
    fs::path path_ = folder_.path() / "headers";
};

TEST_F(HeaderFileTest, BringsHeadersBack) {
    const auto headers = mine_headers(test::regtest_params().genesis, 30);
    store(headers);
    EXPECT_EQ(fs::file_size(path_), file_bytes(30));
    EXPECT_EQ(reopen().tip, (BlockRef{30, headers.back().hash()}));
    EXPECT_EQ(reopen().repaired_bytes, 0U);
}

TEST_F(HeaderFileTest, BringsEveryBranchBack) {
    LetterTree tree;
    tree.grow("abc");
    tree.grow("xy", 'a');
    store(tree.headers("abxcy"));

    HeaderChain chain{test::regtest_params()};
    HeaderFile file{path_, chain, kNow};
    EXPECT_EQ(chain.tip(), (BlockRef{3, tree.hash('c')})) << "it is still the first of equals";
    EXPECT_EQ(chain.height_of(tree.hash('y')), 3U);

    tree.grow("z", 'y');
    chain.accept(tree.headers("z"), kNow);
    file.flush();
    EXPECT_EQ(fs::file_size(path_), file_bytes(6));
}

TEST_F(HeaderFileTest, IsForItsOwnerOnly) {
    store({});
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(HeaderFileTest, WritesOnlyWhenFlushed) {
    const auto headers = mine_headers(test::regtest_params().genesis, 2);
    {
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{path_, chain, kNow};
        chain.accept(std::span(headers).first(1), kNow);
        file.flush();
        chain.accept(headers, kNow);
    }
    EXPECT_EQ(reopen().tip.height, 1U);
}

TEST_F(HeaderFileTest, KeepsNothingOnceClosed) {
    const auto headers = mine_headers(test::regtest_params().genesis, 2);
    HeaderChain chain{test::regtest_params()};
    { const HeaderFile file{path_, chain, kNow}; }
    EXPECT_EQ(chain.accept(headers, kNow).added, 2U);
    EXPECT_EQ(reopen().tip.height, 0U);
}

TEST_F(HeaderFileTest, HoldsMoreThanOneReadBrings) {
    const auto headers = mine_headers(test::regtest_params().genesis, 4001);
    store(headers);
    EXPECT_EQ(reopen().tip, (BlockRef{4001, headers.back().hash()}));
    store({});
    Bytes bytes = read_bytes();
    bytes[file_bytes(2000)] ^= 1U;
    write_bytes(bytes);
    EXPECT_EQ(reopen().tip.height, 2000U);
}

TEST_F(HeaderFileTest, LosesOnlyTheTailWhenCutAnywhere) {
    const auto headers = mine_headers(test::regtest_params().genesis, 3);
    store(headers);
    const Bytes whole = read_bytes();
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        SCOPED_TRACE(size);
        write_bytes(ByteView{whole}.first(size));
        const std::size_t kept = size < kPreambleBytes ? 0 : (size - kPreambleBytes) / kRecordBytes;
        const std::size_t good = size < kPreambleBytes ? 0 : kPreambleBytes + kept * kRecordBytes;
        const Reopened reopened = reopen();
        ASSERT_EQ(reopened.tip.height, kept == 0 ? 0 : kept - 1);
        ASSERT_EQ(reopened.repaired_bytes, size - good);
        ASSERT_EQ(fs::file_size(path_), good);

        store(headers);
        ASSERT_EQ(read_bytes(), whole) << "the same headers restore the file";
    }
}

TEST_F(HeaderFileTest, NoticesEveryFlippedBit) {
    const auto headers = mine_headers(test::regtest_params().genesis, 2);
    store(headers);
    const Bytes whole = read_bytes();
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        SCOPED_TRACE(bit);
        Bytes damaged = whole;
        damaged[bit / 8] = static_cast<Byte>(damaged[bit / 8] ^ 1U << bit % 8);
        write_bytes(damaged);
        if (bit / 8 < kPreambleBytes) {
            ASSERT_NE(refusal(), "");
            ASSERT_EQ(read_bytes(), damaged) << "a refused file is not changed";
            continue;
        }
        const std::size_t good = (bit / 8 - kPreambleBytes) / kRecordBytes;
        const Reopened reopened = reopen();
        ASSERT_EQ(reopened.tip.height, good == 0 ? 0 : good - 1);
        ASSERT_EQ(reopened.repaired_bytes, (3 - good) * kRecordBytes);
    }
}

TEST_F(HeaderFileTest, CutsOffZerosAndNoise) {
    store(mine_headers(test::regtest_params().genesis, 3));
    const Bytes whole = read_bytes();
    for (const Byte filling : {Byte{0}, Byte{0xff}, Byte{'x'}}) {
        Bytes longer = whole;
        longer.resize(whole.size() + 1000, filling);
        write_bytes(longer);
        EXPECT_EQ(reopen().repaired_bytes, 1000U);
        EXPECT_EQ(read_bytes(), whole);
    }
}

// A record may be intact although the rules refuse its header; here, its parent is missing.
TEST_F(HeaderFileTest, CutsOffWhatTheRulesRefuse) {
    store(mine_headers(test::regtest_params().genesis, 3));
    Bytes bytes = read_bytes();
    const auto second = bytes.begin() + file_bytes(1);
    bytes.erase(second, second + kRecordBytes);
    write_bytes(bytes);
    EXPECT_EQ(reopen().tip.height, 1U);
    EXPECT_EQ(fs::file_size(path_), file_bytes(1));
}

TEST_F(HeaderFileTest, CutsOffARepeatedRecord) {
    store(mine_headers(test::regtest_params().genesis, 2));
    Bytes bytes = read_bytes();
    const Bytes last(bytes.end() - kRecordBytes, bytes.end());
    bytes.insert(bytes.end(), last.begin(), last.end());
    write_bytes(bytes);
    EXPECT_EQ(reopen().tip.height, 2U);
    EXPECT_EQ(fs::file_size(path_), file_bytes(2));
}

TEST_F(HeaderFileTest, IsReadOnlyWhileAnotherHoldsIt) {
    const auto headers = mine_headers(test::regtest_params().genesis, 3);
    HeaderChain writing_chain{test::regtest_params()};
    HeaderFile writer{path_, writing_chain, kNow};
    writing_chain.accept(std::span(headers).first(1), kNow);
    writer.flush();
    EXPECT_FALSE(writer.read_only());
    {
        HeaderChain chain{test::regtest_params()};
        HeaderFile reader{path_, chain, kNow};
        EXPECT_TRUE(reader.read_only());
        EXPECT_EQ(chain.tip().height, 1U);
        EXPECT_EQ(chain.accept(headers, kNow).added, 2U);
        reader.flush();
    }
    EXPECT_EQ(fs::file_size(path_), file_bytes(1));
    writing_chain.accept(std::span(headers).first(2), kNow);
    writer.flush();
    EXPECT_EQ(fs::file_size(path_), file_bytes(2));
}

TEST_F(HeaderFileTest, ReaderWritesNothingIntoANewFile) {
    HeaderChain writing_chain{test::regtest_params()};
    const HeaderFile writer{path_, writing_chain, kNow};
    HeaderChain chain{test::regtest_params()};
    HeaderFile reader{path_, chain, kNow};
    reader.flush();
    EXPECT_EQ(fs::file_size(path_), 0U);
}

TEST_F(HeaderFileTest, ReaderLeavesATornTailAlone) {
    store(mine_headers(test::regtest_params().genesis, 2));
    HeaderChain writing_chain{test::regtest_params()};
    const HeaderFile writer{path_, writing_chain, kNow};
    fs::resize_file(path_, fs::file_size(path_) + 10);
    const Bytes bytes = read_bytes();

    HeaderChain chain{test::regtest_params()};
    const HeaderFile reader{path_, chain, kNow};
    EXPECT_EQ(chain.tip().height, 2U);
    EXPECT_EQ(reader.repaired_bytes(), 0U);
    EXPECT_EQ(read_bytes(), bytes);
}

TEST_F(HeaderFileTest, IsFreeOnceItsHolderIsGone) {
    store({});
    HeaderChain chain{test::regtest_params()};
    EXPECT_FALSE((HeaderFile{path_, chain, kNow}.read_only()));
}

TEST_F(HeaderFileTest, IsNotInheritedByOtherPrograms) {
    HeaderChain chain{test::regtest_params()};
    const HeaderFile file{path_, chain, kNow};
    int found = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (fs::read_symlink(entry, gone) != fs::canonical(path_)) continue;
        EXPECT_NE(::fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC, 0);
        ++found;
    }
    EXPECT_EQ(found, 1);
}

TEST_F(HeaderFileTest, RefusesAnotherNetworksFile) {
    store(mine_headers(test::regtest_params().genesis, 2));
    const Bytes before = read_bytes();
    EXPECT_EQ(refusal(*find_network("mainnet")),
              "cannot use " + path_.string() +
                  ": it belongs to another network; move it away, and the next sync makes it anew");
    EXPECT_EQ(read_bytes(), before);
}

TEST_F(HeaderFileTest, RefusesANewerFormat) {
    store(mine_headers(test::regtest_params().genesis, 2));
    Bytes bytes = read_bytes();
    bytes[12] = 3;
    write_bytes(bytes);
    EXPECT_EQ(refusal(),
              "cannot use " + path_.string() + ": it was written by a newer version of petal");
}

TEST_F(HeaderFileTest, ReplacesAFileOfTheFirstFormat) {
    store({});
    Bytes bytes = read_bytes();
    bytes[12] = 1;
    bytes.resize(52 + 3 * 84);
    write_bytes(bytes);
    EXPECT_EQ(reopen().repaired_bytes, bytes.size());
    store(mine_headers(test::regtest_params().genesis, 2));
    EXPECT_EQ(reopen().tip.height, 2U);
    EXPECT_EQ(fs::file_size(path_), file_bytes(2));
}

TEST_F(HeaderFileTest, RefusesTheFileOfANetworkWithTheSameGenesisBlock) {
    store(mine_headers(test::regtest_params().genesis, 2));
    NetworkParams other = test::regtest_params();
    other.magic[0] ^= 1U;
    EXPECT_EQ(refusal(other),
              "cannot use " + path_.string() +
                  ": it belongs to another network; move it away, and the next sync makes it anew");
}

TEST_F(HeaderFileTest, DistinguishesADamagedStartFromAnotherNetwork) {
    store({});
    const Bytes sound = read_bytes();
    for (const std::size_t byte : {12U, 20U}) {  // of the version, of the genesis block
        Bytes bytes = sound;
        bytes[byte] = 0;
        write_bytes(bytes);
        EXPECT_EQ(refusal(),
                  "cannot use " + path_.string() +
                      ": its first bytes are damaged; move it away, and the next sync makes it "
                      "anew");
    }
}

TEST_F(HeaderFileTest, RefusesOtherFiles) {
    write_bytes(as_bytes("hello"));
    const std::string expected =
        "cannot use " + path_.string() +
        ": it is not a petal header file; move it away, and the next sync makes it anew";
    EXPECT_EQ(refusal(), expected);
    EXPECT_EQ(read_bytes().size(), 5U);
    write_bytes(Bytes(5000, 'x'));
    EXPECT_EQ(refusal(), expected);
}

TEST_F(HeaderFileTest, RefusesFoldersAndPipes) {
    fs::create_directory(path_);
    EXPECT_EQ(refusal(), "cannot open " + path_.string() + ": Is a directory");
    fs::remove(path_);
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_EQ(refusal(), "cannot use " + path_.string() + ": it is not a regular file");
    path_ = folder_.path() / "missing" / "headers";
    EXPECT_EQ(refusal(), "cannot open " + path_.string() + ": No such file or directory");
}

TEST_F(HeaderFileTest, RefusesHeadersFromTheFuture) {
    const auto headers = mine_headers(test::regtest_params().genesis, 3);
    store(headers);
    const Bytes before = read_bytes();
    EXPECT_EQ(refusal(test::regtest_params(), std::int64_t{headers[2].time} - 7200), "");
    EXPECT_EQ(refusal(test::regtest_params(), std::int64_t{headers[2].time} - 7201),
              "cannot use " + path_.string() +
                  ": it has headers from the future: set this machine's clock");
    EXPECT_EQ(read_bytes(), before);
}

// A limit on the size of files simulates a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(std::size_t bytes) {
        previous_handler_ = std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &previous_);
        const rlimit limit{bytes, previous_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &previous_);
        std::signal(SIGXFSZ, previous_handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit previous_{};
    void (*previous_handler_)(int);
};

TEST_F(HeaderFileTest, SaysThatTheDiskRefusesAndTriesAgain) {
    const auto headers = mine_headers(test::regtest_params().genesis, 10);
    HeaderChain chain{test::regtest_params()};
    HeaderFile file{path_, chain, kNow};
    chain.accept(headers, kNow);
    {
        const FileSizeLimit limit{file_bytes(5) + 7};
        try {
            file.flush();
            ADD_FAILURE() << "the limit had no effect";
        } catch (const HeaderFileError& error) {
            EXPECT_EQ(error.what(), "cannot write " + path_.string() + ": File too large");
        }
    }
    EXPECT_EQ(fs::file_size(path_), file_bytes(5) + 7);
    file.flush();
    EXPECT_EQ(fs::file_size(path_), file_bytes(10));
}

TEST_F(HeaderFileTest, IsSoundAfterAWriteThatFailed) {
    const auto headers = mine_headers(test::regtest_params().genesis, 10);
    {
        HeaderChain chain{test::regtest_params()};
        HeaderFile file{path_, chain, kNow};
        chain.accept(headers, kNow);
        const FileSizeLimit limit{file_bytes(5) + 7};
        EXPECT_THROW(file.flush(), HeaderFileError);
    }
    EXPECT_EQ(reopen().tip.height, 5U);
}

}  // namespace
}  // namespace petal::chain
