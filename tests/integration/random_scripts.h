/// Random scripts of each version, with spends that are often valid.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "chain/bytes.h"
#include "chain/script/signature_encoding.h"
#include "chain/transaction.h"

namespace petal::test {

/// A random script, and what its spends are made of.
class RandomScript {
public:
    explicit RandomScript(std::uint32_t seed);

    /// The output that the script locks.
    const chain::TxOutput& output() const { return output_; }

    /// A transaction that spends the output. Its signatures, lock times and items are sometimes
    /// wrong.
    chain::Transaction spend(const chain::Outpoint& outpoint);

private:
    enum class Place : std::uint8_t { bare, p2sh, p2wsh, p2sh_p2wsh, tapscript };
    /// A signature that the script checks first, with the key.
    struct Check {
        std::uint32_t private_key = 1;
        bool is_multisig = false;
    };

    unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
    bool once_in(unsigned count) { return pick(count) == 0; }
    chain::ScriptVersion version() const;

    void write_check();
    chain::Bytes key_of(std::uint32_t private_key);
    void write_push();
    void write_operation();
    void write_lock_time();
    void write_branch(int depth);
    void write_body(int depth);
    void write_end();
    void write(std::uint8_t opcode) { script_.push_back(opcode); }
    void write(const chain::Bytes& bytes);
    chain::Bytes random_item();

    chain::Bytes sign(const chain::Transaction& transaction, std::uint32_t private_key);
    chain::Bytes sign_before_taproot(const chain::Transaction& transaction,
                                     std::uint32_t private_key);
    chain::Bytes sign_tapscript(const chain::Transaction& transaction, std::uint32_t private_key);
    void put_items(chain::TxInput& input, std::vector<chain::Bytes> items);

    std::mt19937 random_;
    Place place_ = Place::bare;
    chain::Bytes script_;
    std::size_t code_start_ = 0;       ///< after the OP_CODESEPARATOR at the start
    std::vector<chain::Bytes> items_;  ///< below the signatures
    std::vector<Check> checks_;
    std::size_t depth_ = 0;  ///< about the size of the stack
    chain::Bytes control_block_;
    chain::TxOutput output_;
};

}  // namespace petal::test
