#include "regtest/serve/chain_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace petal::regtest {
namespace {

/// A block whose coinbase claims too much. The chain notices this only when the block is to become
/// the tip.
chain::Block too_dear_block(const chain::BlockHeader& parent, std::uint32_t height) {
    std::vector transactions = {
        make_coinbase(height, 1, {2 * block_subsidy(height), chain::Bytes{0x51}})};
    const std::vector txids = {transactions[0].txid()};
    const auto mined = mine_block_on(parent.hash(), parent.time + 1, transactions, txids);
    return {mined.header, mined.transactions};
}

class ChainFileTest : public testing::Test {
protected:
    std::string contents() const { return test::file_text(file_); }
    void append(const std::string& bytes) const {
        std::ofstream(file_, std::ios::binary | std::ios::app) << bytes;
    }
    /// The tip after the file is read.
    chain::BlockHash read() const {
        RegtestChain chain;
        ChainFile stored(file_);
        stored.read(chain);
        EXPECT_EQ(stored.cut_bytes(), 0U);
        return chain.tip();
    }
    /// The preamble, which is the whole of a file without records.
    std::string preamble() const {
        const auto empty = folder_.path() / "empty.dat";
        RegtestChain chain;
        ChainFile(empty).read(chain);
        return test::file_text(empty);
    }

    test::TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "chain.dat";
};

TEST_F(ChainFileTest, CountsABlockThatIsRecordedTwiceOnce) {
    RegtestChain chain;
    {
        ChainFile stored(file_);
        stored.read(chain);
        chain.mine(2);
        stored.append(chain);
        append(contents().substr(preamble().size()));
        chain.mine(1);
        stored.append(chain);
    }
    EXPECT_EQ(read(), chain.tip());
}

// A node forgets which blocks were invalid at some time. If it is offered them again, it records
// them again.
TEST_F(ChainFileTest, IsUnchangedIfItsReadingIsStopped) {
    {
        RegtestChain chain;
        ChainFile stored(file_);
        stored.read(chain);
        chain.mine(3);
        stored.append(chain);
    }
    const std::string before = contents();
    RegtestChain chain;
    ChainFile stored(file_);
    int records = 0;
    EXPECT_FALSE(stored.read(chain, [&records] { return ++records == 3; }));
    EXPECT_EQ(chain.height(), 2U);
    EXPECT_EQ(contents(), before);
}

TEST_F(ChainFileTest, LeavesOutAWrongBlockThatIsRecordedAgain) {
    RegtestChain chain;
    std::string wrong_records;
    {
        ChainFile stored(file_);
        stored.read(chain);
        chain.mine(3);
        stored.append(chain);
        const std::size_t size = contents().size();
        const auto first = too_dear_block(chain.block_at(0).header, 1);
        const auto second = too_dear_block(first.header, 2);
        ASSERT_EQ(chain.offer_block(first).outcome, BlockOutcome::aside);
        ASSERT_EQ(chain.offer_block(second).outcome, BlockOutcome::aside);
        stored.append(chain);
        wrong_records = contents().substr(size);

        const auto good = chain.block_at(1).header.hash();
        chain.invalidate(good);
        ASSERT_TRUE(chain.blocks().is_wrong(first.header.hash()));
        chain.reconsider(good);
        stored.append(chain);
        append(wrong_records);
        chain.mine(1);
        stored.append(chain);
    }
    EXPECT_EQ(read(), chain.tip());

    const std::string damaged = preamble() + wrong_records;
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << damaged;
    EXPECT_THROW(read(), ChainFileError) << "the node would not have accepted it as the tip";
    EXPECT_EQ(contents(), damaged);
}

/// One flipped bit in the length of a record makes the record reach beyond the end of the file.
TEST_F(ChainFileTest, LeavesAFileAloneIfAWrongLengthHidesLaterRecords) {
    constexpr std::size_t kLengthPlace = 3;  // the third of four bytes after the kind
    RegtestChain chain;
    {
        ChainFile stored(file_);
        stored.read(chain);
        chain.mine(3);
        stored.append(chain);
    }
    const std::string sound = contents();
    const std::size_t record = (sound.size() - preamble().size()) / 3;
    for (const std::size_t damaged : {0U, 1U}) {
        std::string bytes = sound;
        bytes[preamble().size() + damaged * record + kLengthPlace] ^= 0x10;
        std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
        EXPECT_THROW(read(), ChainFileError) << damaged;
        EXPECT_EQ(contents(), bytes);
    }
    // The mark of an invalidated block is a record that must not be lost either.
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << sound;
    {
        RegtestChain marked;
        ChainFile stored(file_);
        stored.read(marked);
        marked.invalidate(marked.tip());
        stored.append(marked);
    }
    std::string bytes = contents();
    bytes[preamble().size() + 2 * record + kLengthPlace] ^= 0x10;
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_THROW(read(), ChainFileError);
}

/// After a power cut, a file may have its new length without its new bytes.
TEST_F(ChainFileTest, CutsOffZerosAfterTheLastRecord) {
    RegtestChain chain;
    {
        ChainFile stored(file_);
        stored.read(chain);
        chain.mine(2);
        stored.append(chain);
    }
    const std::string sound = contents();
    append(std::string(4'096, '\0'));
    {
        RegtestChain read_chain;
        ChainFile stored(file_);
        stored.read(read_chain);
        EXPECT_EQ(stored.cut_bytes(), 4'096U);
        EXPECT_EQ(read_chain.tip(), chain.tip());
    }
    EXPECT_EQ(contents(), sound);
}

}  // namespace
}  // namespace petal::regtest
