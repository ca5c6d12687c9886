// Blocks that do not count for the best chain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/headers/header_file.h"
#include "tests/chain/headers/header_tree_model.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_chain.h"

namespace petal::chain {
namespace {

using test::kNow;

class Exclusions : public testing::Test {
protected:
    void store(std::string_view letters, char parent = '0') {
        EXPECT_EQ(accept(letters, parent).added, letters.size());
    }
    AcceptResult accept(std::string_view letters, char parent) {
        return chain.accept(tree.grow(letters, parent), kNow);
    }
    BlockRef ref(char letter) const {
        return {chain.height_of(tree.hash(letter)).value(), tree.hash(letter)};
    }

    test::LetterTree tree;
    HeaderChain chain{test::regtest_params()};
};

TEST_F(Exclusions, LeaveTheRestOfTheChain) {
    store("abcd");
    const ChainMove move = chain.exclude(tree.hash('c'), Exclusion::withheld);
    EXPECT_EQ(move.old_tip, ref('d'));
    EXPECT_EQ(move.fork, ref('b'));
    EXPECT_EQ(move.new_tip, ref('b'));
    EXPECT_TRUE(move.is_reorganisation());
    EXPECT_EQ(chain.tip(), ref('b'));
    EXPECT_EQ(chain.tip_header(), tree['b']);
    EXPECT_EQ(chain.chainwork(), chain.chainwork_at(tree.hash('b')));
    EXPECT_FALSE(chain.is_on_best_chain(tree.hash('c')));
    EXPECT_EQ(chain.fork_point(tree.hash('d')), ref('b'));
    EXPECT_EQ(chain.exclusion_of(tree.hash('b')), std::nullopt);
    EXPECT_EQ(chain.exclusion_of(tree.hash('d')), Exclusion::withheld);
    EXPECT_EQ(chain.size(), 5U);
}

TEST_F(Exclusions, MoveTheTipToTheHeaviestRemainingBranch) {
    store("abcdef");
    store("xy", 'b');
    store("uvw", 'b');
    const ChainMove move = chain.exclude(tree.hash('c'), Exclusion::withheld);
    EXPECT_EQ(move.fork, ref('b'));
    EXPECT_EQ(move.new_tip, ref('w'));
    EXPECT_EQ(chain.hash_at(3), tree.hash('u'));
}

TEST_F(Exclusions, MoveTheTipToTheFirstOfEqualBranches) {
    store("abcdef");
    store("xyz", 'b');
    store("uvw", 'b');
    EXPECT_EQ(chain.exclude(tree.hash('d'), Exclusion::withheld).new_tip, ref('z'));
}

// The block below the excluded one has as much work as a block that was seen before it.
TEST_F(Exclusions, MoveTheTipToAnEqualBranchSeenBeforeTheParent) {
    store("ab");
    store("xy");
    store("z", 'y');
    EXPECT_EQ(chain.exclude(tree.hash('z'), Exclusion::withheld).new_tip, ref('b'));
}

TEST_F(Exclusions, OfAnotherBranchMoveNothing) {
    store("abc");
    store("xy");
    const ChainMove move = chain.exclude(tree.hash('x'), Exclusion::withheld);
    EXPECT_EQ(move.new_tip, move.old_tip);
    EXPECT_FALSE(move.is_reorganisation());
    EXPECT_EQ(chain.exclude(tree.hash('b'), Exclusion::withheld).new_tip, ref('a'));
}

TEST_F(Exclusions, OfSeveralBranchesAddUp) {
    store("abcd");
    store("xyz", 'a');
    store("uv", 'a');
    EXPECT_EQ(chain.exclude(tree.hash('b'), Exclusion::withheld).new_tip, ref('z'));
    EXPECT_EQ(chain.exclude(tree.hash('y'), Exclusion::withheld).new_tip, ref('v'));
    EXPECT_EQ(chain.exclude(tree.hash('u'), Exclusion::invalid).new_tip, ref('x'));
}

TEST_F(Exclusions, OfWithheldBlocksEndWithANewHeaderOnTop) {
    store("abcd");
    store("xy", 'b');
    chain.exclude(tree.hash('d'), Exclusion::withheld);
    chain.exclude(tree.hash('c'), Exclusion::withheld);
    ASSERT_EQ(chain.tip(), ref('y'));
    const ChainMove move = accept("e", 'd').move;
    EXPECT_EQ(move.fork, ref('b'));
    EXPECT_EQ(move.new_tip, ref('e'));
    EXPECT_EQ(chain.hash_at(3), tree.hash('c'));
    EXPECT_EQ(chain.exclusion_of(tree.hash('c')), std::nullopt);
}

TEST_F(Exclusions, OfWithheldBlocksDoNotEndWithKnownHeaders) {
    store("abc");
    chain.exclude(tree.hash('b'), Exclusion::withheld);
    const AcceptResult again = chain.accept(tree.headers("abc"), kNow);
    EXPECT_EQ(again.accepted, 3U);
    EXPECT_EQ(again.added, 0U);
    EXPECT_EQ(chain.tip(), ref('a'));
}

TEST_F(Exclusions, EndOnlyBelowTheNewHeader) {
    store("abcd");
    store("xyz", 'a');
    chain.exclude(tree.hash('b'), Exclusion::withheld);
    store("e", 'b');  // beside c and d, and too little work
    EXPECT_EQ(chain.tip(), ref('z'));
    EXPECT_EQ(chain.exclusion_of(tree.hash('b')), std::nullopt);
    EXPECT_EQ(chain.exclusion_of(tree.hash('c')), Exclusion::withheld);
    chain.exclude(tree.hash('y'), Exclusion::withheld);
    EXPECT_EQ(chain.tip(), ref('e'));
}

TEST_F(Exclusions, OfWithheldBlocksEndWithoutAMoveIfAnotherBranchHasAsMuchWork) {
    store("ab");
    store("xyz", 'a');
    chain.exclude(tree.hash('y'), Exclusion::withheld);
    chain.exclude(tree.hash('x'), Exclusion::withheld);
    store("c", 'b');
    store("u", 'y');
    EXPECT_EQ(chain.tip(), ref('u')) << "one block more";
    chain.exclude(tree.hash('u'), Exclusion::withheld);
    store("d", 'c');
    store("v", 'y');
    EXPECT_EQ(chain.tip(), ref('d'));
}

TEST_F(Exclusions, OfWithheldBlocksEndForAReadmittedBlockAndThoseBelow) {
    store("abcde");
    store("xy", 'a');
    chain.exclude(tree.hash('b'), Exclusion::withheld);
    chain.readmit(tree.hash('c'));
    EXPECT_EQ(chain.tip(), ref('y')) << "no more work, and seen later";
    EXPECT_EQ(chain.exclusion_of(tree.hash('b')), std::nullopt);
    EXPECT_EQ(chain.exclusion_of(tree.hash('c')), std::nullopt);
    EXPECT_EQ(chain.exclusion_of(tree.hash('d')), Exclusion::withheld);
    chain.readmit(tree.hash('d'));
    EXPECT_EQ(chain.tip(), ref('d'));
    EXPECT_EQ(chain.hash_at(2), tree.hash('b'));
    EXPECT_EQ(chain.chainwork(), chain.chainwork_at(tree.hash('d')));
    EXPECT_EQ(chain.exclusion_of(tree.hash('e')), Exclusion::withheld);
}

TEST_F(Exclusions, OfInvalidBlocksHoldForTheirDescendantsToCome) {
    store("abc");
    store("x");
    chain.exclude(tree.hash('b'), Exclusion::invalid);
    for (const char parent : {'b', 'c'}) {
        const AcceptResult refused = accept("d", parent);
        EXPECT_EQ(refused.added, 0U);
        EXPECT_EQ(refused.error, HeaderError::descends_from_invalid);
        EXPECT_EQ(chain.accept(tree.grow("e", 'd'), kNow).error,
                  HeaderError::descends_from_invalid);
    }
    EXPECT_EQ(chain.accept(tree.headers("abc"), kNow).error, std::nullopt) << "known";
    EXPECT_EQ(chain.tip(), ref('a'));
    store("y", 'x');
    EXPECT_EQ(chain.tip(), ref('y'));
}

TEST_F(Exclusions, OfInvalidBlocksStay) {
    store("abc");
    chain.exclude(tree.hash('b'), Exclusion::withheld);
    chain.exclude(tree.hash('b'), Exclusion::invalid);
    chain.exclude(tree.hash('b'), Exclusion::withheld);
    EXPECT_EQ(chain.exclusion_of(tree.hash('b')), Exclusion::invalid);
    EXPECT_EQ(chain.exclusion_of(tree.hash('c')), Exclusion::invalid);
    EXPECT_EQ(accept("d", 'c').error, HeaderError::descends_from_invalid);
}

class StoredExclusions : public Exclusions {
protected:
    void SetUp() override {
        HeaderFile file{path_, chain, kNow};
        store("abc");
        store("xy");
        chain.exclude(tree.hash('a'), Exclusion::withheld);
        file.flush();
    }
    BlockHash stored_tip(const HeaderFileOptions& options = {}) const {
        HeaderChain opened{test::regtest_params()};
        const HeaderFile file{path_, opened, kNow, options};
        return opened.tip().hash;
    }

    test::TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "headers.dat";
    std::filesystem::path excluded_ = folder_.path() / "headers.dat.excluded";
};

TEST_F(StoredExclusions, HoldForOtherProcessesAndAfterARestart) {
    EXPECT_EQ(stored_tip({.read_only = true}), tree.hash('y'));
    EXPECT_EQ(stored_tip(), tree.hash('y'));
}

TEST_F(StoredExclusions, EndWithThoseOfTheChain) {
    {
        HeaderChain opened{test::regtest_params()};
        HeaderFile file{path_, opened, kNow};
        EXPECT_EQ(opened.exclusion_of(tree.hash('c')), Exclusion::withheld);
        opened.readmit(tree.hash('c'));
        file.flush();
    }
    EXPECT_EQ(stored_tip(), tree.hash('c'));
}

TEST_F(StoredExclusions, EndWithTheStoredHeaders) {
    ASSERT_TRUE(HeaderFile::remove(path_, [] {}));
    EXPECT_FALSE(std::filesystem::exists(excluded_));
}

TEST_F(StoredExclusions, AreIgnoredIfTheirFileIsDamagedOrCut) {
    const std::string whole = test::file_text(excluded_);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        std::string flipped = whole;
        flipped[i] = static_cast<char>(flipped[i] ^ 1);
        for (const std::string& content : {flipped, whole.substr(0, i)}) {
            std::ofstream(excluded_, std::ios::binary | std::ios::trunc) << content;
            EXPECT_EQ(stored_tip(), tree.hash('c')) << i;
        }
    }
}

/// Says of each header whether it counts, by reading all of them each time.
class ExclusionModel {
public:
    explicit ExclusionModel(const NetworkParams& network) : tree(network) {}

    std::size_t tip() const { return tip_; }
    bool is_refused(std::size_t parent) const {
        const auto found = excluded_.find(parent);
        return found != excluded_.end() && found->second == Exclusion::invalid;
    }
    std::optional<Exclusion> exclusion_of(std::size_t node) const {
        const auto found = excluded_.find(node);
        return found == excluded_.end() ? std::nullopt : std::optional(found->second);
    }

    void accept(std::size_t node) {
        accepted_.push_back(node);
        readmit(node);
    }
    void exclude(std::size_t node, Exclusion why) {
        for (const std::size_t each : accepted_) {
            if (std::ranges::count(tree.path_to(each), node) == 0) continue;
            const bool stays = exclusion_of(each) == Exclusion::invalid;
            if (!stays) excluded_[each] = why;
        }
        if (exclusion_of(tip_)) tip_ = heaviest();
    }
    void readmit(std::size_t node) {
        for (const std::size_t below : tree.path_to(node)) excluded_.erase(below);
        if (tree.work(node) > tree.work(tip_)) tip_ = node;
    }
    /// The file does not store why a block was excluded.
    void reopen() {
        for (auto& [node, why] : excluded_) why = Exclusion::withheld;
        tip_ = heaviest();
    }
    const std::vector<std::size_t>& accepted() const { return accepted_; }

    HeaderTreeModel tree;

private:
    std::size_t heaviest() const {
        std::size_t best = 0;
        for (const std::size_t each : accepted_) {
            if (!exclusion_of(each) && tree.work(each) > tree.work(best)) best = each;
        }
        return best;
    }

    std::vector<std::size_t> accepted_{0};
    std::map<std::size_t, Exclusion> excluded_;
    std::size_t tip_ = 0;
};

class RandomExclusions {
public:
    RandomExclusions(const NetworkParams& network, const std::filesystem::path& path,
                     std::uint64_t seed)
        : network_(network), path_(path), random_(seed), model_(network) {
        options_.records_per_index = static_cast<std::uint32_t>(1 + pick(20));
        open();
    }

    void step() {
        const std::size_t before = model_.tip();
        const std::size_t kind = pick(16);
        if (kind == 0) return reopen();
        if (kind == 1) return file_->flush();
        if (kind == 2) return readmit();
        const ChainMove move = kind < 6 ? exclude() : grow();
        ASSERT_EQ(move.old_tip, model_.tree.ref(before));
        ASSERT_EQ(move.new_tip, model_.tree.ref(model_.tip()));
        ASSERT_EQ(move.fork, model_.tree.ref(model_.tree.common(before, model_.tip())));
    }
    void expect_agreement() const {
        const auto path = model_.tree.path_to(model_.tip());
        ASSERT_EQ(chain_->tip(), model_.tree.ref(model_.tip()));
        ASSERT_EQ(chain_->chainwork(), model_.tree.work(model_.tip()));
        ASSERT_EQ(chain_->size(), model_.accepted().size());
        for (std::uint32_t height = 0; height < path.size(); ++height) {
            ASSERT_EQ(chain_->hash_at(height), model_.tree.header(path[height]).hash());
        }
        for (const std::size_t node : model_.accepted()) {
            const BlockHash hash = model_.tree.header(node).hash();
            const std::size_t fork = model_.tree.common(node, model_.tip());
            ASSERT_EQ(chain_->exclusion_of(hash), model_.exclusion_of(node));
            ASSERT_EQ(chain_->is_on_best_chain(hash), fork == node);
            ASSERT_EQ(chain_->fork_point(hash), model_.tree.ref(fork));
        }
    }
    int returned() const { return returned_; }
    int readmitted() const { return readmitted_; }

private:
    std::size_t pick(std::size_t count) { return random_() % count; }
    std::size_t pick_recent() {
        const std::size_t size = model_.accepted().size();
        const std::size_t back = std::min(pick(pick(6) == 0 ? size : 5), size - 1);
        return model_.accepted()[size - 1 - back];
    }

    ChainMove exclude() {
        const std::size_t node = pick_recent();
        if (node == 0) return {chain_->tip(), chain_->tip(), chain_->tip()};
        const auto why = pick(6) == 0 ? Exclusion::invalid : Exclusion::withheld;
        model_.exclude(node, why);
        return chain_->exclude(model_.tree.header(node).hash(), why);
    }
    void readmit() {
        const std::size_t node = pick_recent();
        if (model_.exclusion_of(node) != Exclusion::withheld) return;
        model_.readmit(node);
        chain_->readmit(model_.tree.header(node).hash());
        ++readmitted_;
    }
    ChainMove grow() {
        const std::size_t parent = pick_recent();
        const auto spacing = static_cast<std::uint32_t>(1 + pick(5));
        const std::size_t node = model_.tree.mine(parent, spacing, Byte(pick(200)));
        const bool is_new = std::ranges::count(model_.accepted(), node) == 0;
        const bool is_refused = is_new && model_.is_refused(parent);
        if (is_new && model_.exclusion_of(parent) == Exclusion::withheld) ++returned_;
        const auto result = chain_->accept({{model_.tree.header(node)}}, kNow);
        EXPECT_EQ(result.accepted, is_refused ? 0U : 1U);
        EXPECT_EQ(result.added, is_new && !is_refused ? 1U : 0U);
        if (is_new && !is_refused) model_.accept(node);
        return result.move;
    }

    void open() {
        chain_ = std::make_unique<HeaderChain>(network_);
        file_ = std::make_unique<HeaderFile>(path_, *chain_, kNow, options_);
    }
    void reopen() {
        file_->flush();
        file_.reset();
        open();
        model_.reopen();
    }

    const NetworkParams& network_;
    std::filesystem::path path_;
    std::mt19937_64 random_;
    ExclusionModel model_;
    HeaderFileOptions options_;
    std::unique_ptr<HeaderChain> chain_;
    std::unique_ptr<HeaderFile> file_;
    int returned_ = 0;
    int readmitted_ = 0;
};

TEST(RandomExclusionsTest, AgreeWithAModelThatReadsAllHeaders) {
    const NetworkParams varied = tiny_network();
    int returned = 0;
    int readmitted = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        const test::TemporaryFolder folder;
        const NetworkParams& network = seed % 2 == 0 ? test::regtest_params() : varied;
        RandomExclusions history{network, folder.path() / "headers.dat", seed};
        for (int step = 0; step < 120; ++step) {
            history.step();
            if (step % 8 == 0) history.expect_agreement();
            if (testing::Test::HasFatalFailure()) return;
        }
        returned += history.returned();
        readmitted += history.readmitted();
    }
    EXPECT_GT(returned, 100);
    EXPECT_GT(readmitted, 20);
}

}  // namespace
}  // namespace petal::chain
