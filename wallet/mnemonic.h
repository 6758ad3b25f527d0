// Mnemonics (BIP39, English): entropy to words, words to the seed of a wallet. All of it lives in memory that is
// wiped; the words never pass through a std::string of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "util/bytes.h"
#include "util/expected.h"
#include "util/secret.h"

namespace spv::wallet {

/// What a wallet's keys are derived from.
using Seed = util::SecretArray<64>;

/// Why a text is no mnemonic. The message names a word only if it is not in the list.
struct MnemonicError {
  enum class Kind { WordCount, UnknownWord, BadChecksum, NotUtf8, TooLong };
  Kind kind = Kind::WordCount;
  std::string message;
};

/// 12, 15, 18, 21 or 24 words with a right checksum.
class Mnemonic {
 public:
  /// From 16, 20, 24, 28 or 32 bytes of entropy of the system.
  static Mnemonic from_entropy(util::ByteView entropy);
  /// The bytes of entropy for that many words; zero if there is no such mnemonic.
  static std::size_t entropy_size(std::size_t word_count);
  /// Takes any white space between the words, and upper case.
  static util::Expected<Mnemonic, MnemonicError> parse(std::string_view text);

  /// The words in lower case with one blank between them.
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(text_.data()), text_.size()}; }
  [[nodiscard]] const util::SecretBytes& entropy() const { return entropy_; }
  /// The seed under a passphrase (which may be empty, and is UTF-8).
  [[nodiscard]] util::Expected<Seed, MnemonicError> seed(std::string_view passphrase) const;

 private:
  Mnemonic(util::SecretBytes entropy, util::SecretBytes text) : entropy_(std::move(entropy)), text_(std::move(text)) {}

  util::SecretBytes entropy_;
  util::SecretBytes text_;
};

/// The seed of any sentence, whatever its language and words: both texts are normalised (NFKD), then stretched.
util::Expected<Seed, MnemonicError> seed_of_sentence(std::string_view sentence, std::string_view passphrase);

}  // namespace spv::wallet
