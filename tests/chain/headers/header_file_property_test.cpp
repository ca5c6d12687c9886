/// Random trees of headers in a file. Its index and its end are lost at times.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "chain/headers/header_file.h"
#include "chain/headers/stored_headers.h"
#include "tests/chain/headers/header_tree_model.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;

using test::kNow;

void write_whole(const fs::path& path, const std::string& bytes) {
    fs::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
}

// The damage to the files between two runs.
enum class Mishap {
    none,
    index_lost,
    index_cut,
    index_flipped,
    index_stale,
    end_cut,
    noise_at_end,
};

constexpr std::array kMishaps{Mishap::none,          Mishap::index_lost,  Mishap::index_cut,
                              Mishap::index_flipped, Mishap::index_stale, Mishap::end_cut,
                              Mishap::noise_at_end};

class StoredTree {
public:
    StoredTree(const NetworkParams& network, fs::path path, std::uint64_t seed)
        : network_(network), path_(std::move(path)), random_(seed), model_(network) {
        options_.records_per_index = static_cast<std::uint32_t>(1 + pick(20));
        for (int i = 0; i < 80; ++i) {
            const std::size_t back = pick(pick(6) == 0 ? model_.size() : 4);
            const std::size_t parent = model_.size() - 1 - std::min(back, model_.size() - 1);
            const auto spacing = static_cast<std::uint32_t>(1 + pick(5));
            model_.mine(parent, spacing, Byte(pick(3)));
        }
        for (std::size_t node = 1; node < model_.size(); ++node) pending_.push_back(node);
    }

    bool done() const { return pending_.empty(); }
    std::size_t left() const { return pending_.size(); }
    int runs_with_index() const { return runs_with_index_; }
    int damage_found() const { return damage_found_; }

    // One run of a program that opens the file, adds some headers, and ends with or without writing
    // them. After the run, the files may be damaged.
    void run() {
        std::shuffle(pending_.begin(), pending_.end(), random_);
        HeaderChain chain{network_};
        auto file = open(chain);
        expect_agreement(chain);
        const std::size_t before = accepted_.size();
        for (std::size_t tries = 1 + pick(3); tries > 0; --tries) offer(chain, 1 + pick(30));
        const bool written = pick(5) != 0;
        if (written) file->flush();
        expect_agreement(chain);
        file.reset();
        if (!written) forget_from(before);
        happen(kMishaps[pick(kMishaps.size())]);
    }

    void expect_agreement(const HeaderChain& chain) const {
        const std::size_t best = best_accepted();
        const auto path = model_.path_to(best);
        ASSERT_EQ(chain.size(), accepted_.size());
        ASSERT_EQ(chain.tip(), model_.ref(best));
        ASSERT_EQ(chain.chainwork(), model_.work(best));
        for (std::uint32_t height = 0; height < path.size(); ++height) {
            ASSERT_EQ(chain.header_at(height), model_.header(path[height]));
        }
        for (std::uint32_t number = 0; number < accepted_.size(); ++number) {
            const BlockHeader& header = model_.header(accepted_[number]);
            ASSERT_EQ(chain.header_by_number(number), header);
            ASSERT_EQ(chain.height_of(header.hash()), model_.ref(accepted_[number]).height);
            ASSERT_EQ(chain.fork_point(header.hash()),
                      model_.ref(model_.common(accepted_[number], best)));
        }
        for (const std::size_t node : pending_) {
            ASSERT_EQ(chain.find(model_.header(node).hash()), std::nullopt);
        }
    }

private:
    std::size_t pick(std::size_t bound) { return random_() % bound; }

    std::unique_ptr<HeaderFile> open(HeaderChain& chain) {
        if (fs::exists(StoredHeaders::index_path(path_))) ++runs_with_index_;
        return std::make_unique<HeaderFile>(path_, chain, kNow, options_);
    }

    // Offers the chain the first pending headers, in random order. Those without a known parent
    // stay pending.
    void offer(HeaderChain& chain, std::size_t count) {
        std::vector<std::size_t> left;
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const BlockHeader& header = model_.header(pending_[i]);
            if (i < count && chain.accept({&header, 1}, kNow).added == 1) {
                accepted_.push_back(pending_[i]);
            } else {
                left.push_back(pending_[i]);
            }
        }
        pending_ = std::move(left);
    }

    // The accepted header with the most work; of several, the one accepted first.
    std::size_t best_accepted() const {
        std::size_t best = 0;
        for (const std::size_t node : accepted_) {
            if (model_.work(node) > model_.work(best)) best = node;
        }
        return best;
    }

    void forget_from(std::size_t count) {
        count = std::max<std::size_t>(count, 1);
        pending_.insert(pending_.end(), accepted_.begin() + static_cast<std::ptrdiff_t>(count),
                        accepted_.end());
        accepted_.resize(count);
    }

    void happen(Mishap mishap) {
        const fs::path index = StoredHeaders::index_path(path_);
        const std::string bytes = fs::exists(index) ? test::file_text(index) : "";
        if (!bytes.empty() && (old_index_.empty() || pick(8) == 0)) old_index_ = bytes;
        switch (mishap) {
            case Mishap::none:
                return;
            case Mishap::index_lost:
                fs::remove(index);
                return;
            case Mishap::index_cut:
                if (!bytes.empty()) write_whole(index, bytes.substr(0, pick(bytes.size())));
                return;
            case Mishap::index_flipped:
                if (!bytes.empty()) flip_index(bytes);
                return;
            case Mishap::index_stale:
                if (!old_index_.empty()) write_whole(index, old_index_);
                return;
            case Mishap::end_cut:
                cut_end(test::file_text(path_));
                return;
            case Mishap::noise_at_end:
                add_noise(test::file_text(path_));
                return;
        }
    }

    // Reading the changed place detects the damage and removes the index.
    void flip_index(std::string bytes) {
        const fs::path index = StoredHeaders::index_path(path_);
        const std::size_t at = pick(bytes.size());
        bytes[at] ^= static_cast<char>(1 << pick(8));
        write_whole(index, bytes);
        try {
            HeaderChain chain{network_};
            const auto file = open(chain);
            expect_agreement(chain);
            fs::remove(index);  // the changed place was not read
        } catch (const HeaderFileDamaged&) {
            ++damage_found_;
            ASSERT_FALSE(fs::exists(index));
        }
    }

    // A file that contains only noise is not a file of petal's.
    void add_noise(const std::string& bytes) {
        if (bytes.empty()) return;
        write_whole(path_, bytes + std::string(1 + pick(300), 'n'));
    }

    void cut_end(const std::string& bytes) {
        if (bytes.size() <= HeaderRecord::kBytes || pick(2) == 0) return;
        const std::size_t size =
            bytes.size() - std::min(pick(5 * HeaderRecord::kBytes), bytes.size() / 2);
        write_whole(path_, bytes.substr(0, size));
        // The preamble is as long as a record.
        forget_from(size / HeaderRecord::kBytes - 1);
    }

    const NetworkParams& network_;
    fs::path path_;
    std::mt19937_64 random_;
    HeaderTreeModel model_;
    HeaderFileOptions options_;
    // The numbers of headers in the model, in order of acceptance.
    std::vector<std::size_t> accepted_{0};
    std::vector<std::size_t> pending_;  // the numbers of headers that are not in the file
    std::string old_index_;
    int runs_with_index_ = 0;
    int damage_found_ = 0;
};

class StoredTreesTest : public testing::Test {
protected:
    void grow(const NetworkParams& network, std::uint64_t seed) {
        SCOPED_TRACE(seed);
        StoredTree tree{network, folder_.path() / std::to_string(seed), seed};
        for (int runs = 0; !tree.done(); ++runs) {
            ASSERT_LT(runs, 1'000) << tree.left() << " headers left";
            tree.run();
            if (HasFatalFailure()) return;
        }
        runs_with_index_ += tree.runs_with_index();
        damage_found_ += tree.damage_found();
    }

    const test::TemporaryFolder folder_;
    int runs_with_index_ = 0;
    int damage_found_ = 0;
};

TEST_F(StoredTreesTest, AgreeWithTheModelWhateverHappensToTheFiles) {
    const NetworkParams network = tiny_network();
    for (std::uint64_t seed = 0; seed < 10; ++seed) grow(network, seed);
    EXPECT_GT(runs_with_index_, 100);
    EXPECT_GT(damage_found_, 5);
}

// All blocks have the same work, so the first of the highest blocks is best.
TEST_F(StoredTreesTest, AgreeWithTheModelWithManyTies) {
    for (std::uint64_t seed = 100; seed < 106; ++seed) grow(test::regtest_params(), seed);
    EXPECT_GT(runs_with_index_, 50);
}

}  // namespace
}  // namespace petal::chain
