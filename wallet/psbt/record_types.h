/// The types of a PSBT's records (BIP174, BIP370, BIP371, BIP373).
#pragma once

#include "chain/bytes.h"

namespace petal::wallet::psbt_global {

inline constexpr chain::Byte kUnsignedTransaction = 0x00;
inline constexpr chain::Byte kXpub = 0x01;
inline constexpr chain::Byte kTransactionVersion = 0x02;
inline constexpr chain::Byte kFallbackLockTime = 0x03;
inline constexpr chain::Byte kInputCount = 0x04;
inline constexpr chain::Byte kOutputCount = 0x05;
inline constexpr chain::Byte kModifiable = 0x06;
inline constexpr chain::Byte kVersion = 0xfb;
inline constexpr chain::Byte kProprietary = 0xfc;

}  // namespace petal::wallet::psbt_global

namespace petal::wallet::psbt_input {

inline constexpr chain::Byte kFullTransaction = 0x00;  // "non-witness UTXO"
inline constexpr chain::Byte kWitnessUtxo = 0x01;
inline constexpr chain::Byte kPartialSignature = 0x02;
inline constexpr chain::Byte kHashType = 0x03;
inline constexpr chain::Byte kRedeemScript = 0x04;
inline constexpr chain::Byte kWitnessScript = 0x05;
inline constexpr chain::Byte kDerivation = 0x06;
inline constexpr chain::Byte kFinalScriptSig = 0x07;
inline constexpr chain::Byte kFinalWitness = 0x08;
inline constexpr chain::Byte kReserveProof = 0x09;
inline constexpr chain::Byte kRipemd160 = 0x0a;
inline constexpr chain::Byte kSha256 = 0x0b;
inline constexpr chain::Byte kHash160 = 0x0c;
inline constexpr chain::Byte kHash256 = 0x0d;
inline constexpr chain::Byte kPreviousTxid = 0x0e;
inline constexpr chain::Byte kOutputIndex = 0x0f;
inline constexpr chain::Byte kSequence = 0x10;
inline constexpr chain::Byte kTimeLock = 0x11;
inline constexpr chain::Byte kHeightLock = 0x12;
inline constexpr chain::Byte kTaprootKeySignature = 0x13;
inline constexpr chain::Byte kTaprootScriptSignature = 0x14;
inline constexpr chain::Byte kTaprootLeafScript = 0x15;
inline constexpr chain::Byte kTaprootDerivation = 0x16;
inline constexpr chain::Byte kTaprootInternalKey = 0x17;
inline constexpr chain::Byte kTaprootMerkleRoot = 0x18;
inline constexpr chain::Byte kMusigParticipants = 0x1a;
inline constexpr chain::Byte kMusigNonce = 0x1b;
inline constexpr chain::Byte kMusigPartialSignature = 0x1c;
inline constexpr chain::Byte kProprietary = 0xfc;

}  // namespace petal::wallet::psbt_input

namespace petal::wallet::psbt_output {

inline constexpr chain::Byte kRedeemScript = 0x00;
inline constexpr chain::Byte kWitnessScript = 0x01;
inline constexpr chain::Byte kDerivation = 0x02;
inline constexpr chain::Byte kAmount = 0x03;
inline constexpr chain::Byte kScript = 0x04;
inline constexpr chain::Byte kTaprootInternalKey = 0x05;
inline constexpr chain::Byte kTaprootTree = 0x06;
inline constexpr chain::Byte kTaprootDerivation = 0x07;
inline constexpr chain::Byte kMusigParticipants = 0x08;
inline constexpr chain::Byte kProprietary = 0xfc;

}  // namespace petal::wallet::psbt_output
