/// The opcodes of scripts (Bitcoin Core: script.h, opcodetype).
#pragma once

#include <cstdint>

namespace petal::chain {

/// Opcodes up to kOpPushData4 push bytes of the script.
inline constexpr std::uint8_t kOp0 = 0x00;
inline constexpr std::uint8_t kOpPushData1 = 0x4c;
inline constexpr std::uint8_t kOpPushData2 = 0x4d;
inline constexpr std::uint8_t kOpPushData4 = 0x4e;
inline constexpr std::uint8_t kOp1Negate = 0x4f;
inline constexpr std::uint8_t kOpReserved = 0x50;
inline constexpr std::uint8_t kOp1 = 0x51;
inline constexpr std::uint8_t kOp16 = 0x60;

inline constexpr std::uint8_t kOpNop = 0x61;
inline constexpr std::uint8_t kOpIf = 0x63;
inline constexpr std::uint8_t kOpNotIf = 0x64;
inline constexpr std::uint8_t kOpElse = 0x67;
inline constexpr std::uint8_t kOpEndIf = 0x68;
inline constexpr std::uint8_t kOpVerify = 0x69;
inline constexpr std::uint8_t kOpReturn = 0x6a;

/// The order of the stack's items.
inline constexpr std::uint8_t kOpToAltStack = 0x6b;
inline constexpr std::uint8_t kOpFromAltStack = 0x6c;
inline constexpr std::uint8_t kOp2Drop = 0x6d;
inline constexpr std::uint8_t kOp2Dup = 0x6e;
inline constexpr std::uint8_t kOp3Dup = 0x6f;
inline constexpr std::uint8_t kOp2Over = 0x70;
inline constexpr std::uint8_t kOp2Rot = 0x71;
inline constexpr std::uint8_t kOp2Swap = 0x72;
inline constexpr std::uint8_t kOpIfDup = 0x73;
inline constexpr std::uint8_t kOpDepth = 0x74;
inline constexpr std::uint8_t kOpDrop = 0x75;
inline constexpr std::uint8_t kOpDup = 0x76;
inline constexpr std::uint8_t kOpNip = 0x77;
inline constexpr std::uint8_t kOpOver = 0x78;
inline constexpr std::uint8_t kOpPick = 0x79;
inline constexpr std::uint8_t kOpRoll = 0x7a;
inline constexpr std::uint8_t kOpRot = 0x7b;
inline constexpr std::uint8_t kOpSwap = 0x7c;
inline constexpr std::uint8_t kOpTuck = 0x7d;

/// Byte strings. Except for OP_SIZE and the comparisons, disabled since 2010 (CVE-2010-5137).
inline constexpr std::uint8_t kOpCat = 0x7e;
inline constexpr std::uint8_t kOpSubstr = 0x7f;
inline constexpr std::uint8_t kOpLeft = 0x80;
inline constexpr std::uint8_t kOpRight = 0x81;
inline constexpr std::uint8_t kOpSize = 0x82;
inline constexpr std::uint8_t kOpInvert = 0x83;
inline constexpr std::uint8_t kOpAnd = 0x84;
inline constexpr std::uint8_t kOpOr = 0x85;
inline constexpr std::uint8_t kOpXor = 0x86;
inline constexpr std::uint8_t kOpEqual = 0x87;
inline constexpr std::uint8_t kOpEqualVerify = 0x88;

/// Numbers.
inline constexpr std::uint8_t kOp1Add = 0x8b;
inline constexpr std::uint8_t kOp1Sub = 0x8c;
inline constexpr std::uint8_t kOp2Mul = 0x8d;
inline constexpr std::uint8_t kOp2Div = 0x8e;
inline constexpr std::uint8_t kOpNegate = 0x8f;
inline constexpr std::uint8_t kOpAbs = 0x90;
inline constexpr std::uint8_t kOpNot = 0x91;
inline constexpr std::uint8_t kOp0NotEqual = 0x92;
inline constexpr std::uint8_t kOpAdd = 0x93;
inline constexpr std::uint8_t kOpSub = 0x94;
inline constexpr std::uint8_t kOpMul = 0x95;
inline constexpr std::uint8_t kOpDiv = 0x96;
inline constexpr std::uint8_t kOpMod = 0x97;
inline constexpr std::uint8_t kOpLShift = 0x98;
inline constexpr std::uint8_t kOpRShift = 0x99;
inline constexpr std::uint8_t kOpBoolAnd = 0x9a;
inline constexpr std::uint8_t kOpBoolOr = 0x9b;
inline constexpr std::uint8_t kOpNumEqual = 0x9c;
inline constexpr std::uint8_t kOpNumEqualVerify = 0x9d;
inline constexpr std::uint8_t kOpNumNotEqual = 0x9e;
inline constexpr std::uint8_t kOpLessThan = 0x9f;
inline constexpr std::uint8_t kOpGreaterThan = 0xa0;
inline constexpr std::uint8_t kOpLessThanOrEqual = 0xa1;
inline constexpr std::uint8_t kOpGreaterThanOrEqual = 0xa2;
inline constexpr std::uint8_t kOpMin = 0xa3;
inline constexpr std::uint8_t kOpMax = 0xa4;
inline constexpr std::uint8_t kOpWithin = 0xa5;

/// Hashes and signatures.
inline constexpr std::uint8_t kOpRipemd160 = 0xa6;
inline constexpr std::uint8_t kOpSha1 = 0xa7;
inline constexpr std::uint8_t kOpSha256 = 0xa8;
inline constexpr std::uint8_t kOpHash160 = 0xa9;
inline constexpr std::uint8_t kOpHash256 = 0xaa;
inline constexpr std::uint8_t kOpCodeSeparator = 0xab;
inline constexpr std::uint8_t kOpCheckSig = 0xac;
inline constexpr std::uint8_t kOpCheckSigVerify = 0xad;
inline constexpr std::uint8_t kOpCheckMultisig = 0xae;
inline constexpr std::uint8_t kOpCheckMultisigVerify = 0xaf;

/// Reserved for soft forks. BIP65, BIP112 and BIP342 gave three of these opcodes a meaning.
inline constexpr std::uint8_t kOpNop1 = 0xb0;
inline constexpr std::uint8_t kOpCheckLockTimeVerify = 0xb1;
inline constexpr std::uint8_t kOpCheckSequenceVerify = 0xb2;
inline constexpr std::uint8_t kOpNop10 = 0xb9;
inline constexpr std::uint8_t kOpCheckSigAdd = 0xba;

}  // namespace petal::chain
