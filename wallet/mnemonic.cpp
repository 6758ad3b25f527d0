#include "wallet/mnemonic.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include <openssl/evp.h>
#include <utf8proc.h>

#include "util/ensure.h"
#include "util/hash.h"
#include "wallet/mnemonic_words.h"
#include "wallet/word_suggestion.h"

namespace spv::wallet {
namespace {

using Kind = MnemonicError::Kind;
/// Places in the word list: as secret as the words.
using WordNumbers = std::vector<std::uint16_t, util::WipingAllocator<std::uint16_t>>;

constexpr std::size_t kBitsPerWord = 11;
constexpr int kStretchRounds = 2048;
constexpr std::size_t kMaxWordLength = 8;
/// Generous for any sentence or passphrase that a person types.
constexpr std::size_t kMaxTextLength = 4096;

util::Unexpected<MnemonicError> error(Kind kind, std::string message) {
  return util::Unexpected{MnemonicError{kind, std::move(message)}};
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const auto begin = std::ranges::find_if_not(text, is_space);
    const auto end = std::find_if(begin, text.end(), is_space);
    if (begin == end) return out;
    out.emplace_back(begin, end);
    text = std::string_view(end, text.end());
  }
}

bool less_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, {}, to_lower, to_lower);
}

std::optional<std::uint16_t> word_number(std::string_view word) {
  const auto* found = std::ranges::lower_bound(kMnemonicWords, word, less_ignoring_case);
  if (found == kMnemonicWords.end() || less_ignoring_case(word, *found)) return std::nullopt;
  return static_cast<std::uint16_t>(found - kMnemonicWords.begin());
}

std::string unknown_word_message(std::string_view word, std::size_t position) {
  std::string message = "word " + std::to_string(position) + " (\"";
  for (const char c : word.substr(0, 2 * kMaxWordLength)) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) message.push_back(c);  // nothing that moves a terminal
  }
  message += "\") is not in the English BIP39 list";
  auto near = suggestions(word, kMnemonicWords);
  // Four letters name a word of the list, so that one with a wrong end can be guessed.
  const auto begins_alike = [&](std::string_view candidate) {
    return candidate.size() >= 4 && std::ranges::equal(candidate.substr(0, 4), word.substr(0, 4), {}, {}, to_lower);
  };
  const auto* same = std::ranges::find_if(kMnemonicWords, begins_alike);
  if (same != kMnemonicWords.end()) near = {*same};
  for (std::size_t i = 0; i < near.size(); ++i) {
    const char* before = i == 0 ? ": did you mean \"" : i + 1 == near.size() ? "\" or \"" : "\", \"";
    message += before + std::string(near[i]);
  }
  return near.empty() ? message : message + "\"?";
}

/// The first bits of the entropy's hash that fill up the last word.
std::uint8_t checksum_bits(util::ByteView entropy) {
  const std::size_t count = entropy.size() / 4;
  return static_cast<std::uint8_t>(util::sha256(entropy).bytes[0] >> (8 - count));
}

WordNumbers words_of(util::ByteView entropy) {
  WordNumbers out;
  std::uint32_t buffer = 0;
  std::size_t bits = 0;
  const auto feed = [&](std::uint32_t value, std::size_t count) {
    buffer = (buffer << count) | value;
    bits += count;
    if (bits < kBitsPerWord) return;
    bits -= kBitsPerWord;
    out.push_back(static_cast<std::uint16_t>((buffer >> bits) & 0x7FFU));
  };
  for (const std::uint8_t byte : entropy) feed(byte, 8);
  feed(checksum_bits(entropy), entropy.size() / 4);
  return out;
}

/// The entropy of the words; their checksum is not looked at.
util::SecretBytes entropy_of(const WordNumbers& words) {
  util::SecretBytes out;
  std::uint32_t buffer = 0;
  std::size_t bits = 0;
  for (const std::uint16_t word : words) {
    buffer = (buffer << kBitsPerWord) | word;
    for (bits += kBitsPerWord; bits >= 8; bits -= 8) {
      out.push_back(static_cast<std::uint8_t>((buffer >> (bits - 8)) & 0xFFU));
    }
  }
  out.resize(Mnemonic::entropy_size(words.size()));  // 24 words carry a whole byte of checksum
  return out;
}

/// NFKD, in memory that is wiped.
util::Expected<util::SecretBytes, MnemonicError> normalise(std::string_view text) {
  if (text.size() > kMaxTextLength) {
    return error(Kind::TooLong, "the mnemonic or its passphrase is longer than 4096 bytes");
  }
  if (text.empty()) return util::SecretBytes{};
  utf8proc_uint8_t* mapped = nullptr;
  // The library's enum is a set of flags.  NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  const auto size =
      utf8proc_map(util::as_bytes(text).data(), static_cast<utf8proc_ssize_t>(text.size()), &mapped, options);
  if (size < 0) return error(Kind::NotUtf8, "the mnemonic or its passphrase is not valid UTF-8");
  util::SecretBytes out(mapped, mapped + size);
  OPENSSL_cleanse(mapped, static_cast<std::size_t>(size));
  std::free(mapped);  // NOLINT: utf8proc allocates with malloc
  return out;
}

}  // namespace

std::size_t Mnemonic::entropy_size(std::size_t word_count) {
  if (word_count < 12 || word_count > 24 || word_count % 3 != 0) return 0;
  return word_count / 3 * 4;
}

Mnemonic Mnemonic::from_entropy(util::ByteView entropy) {
  util::ensure(entropy.size() >= 16 && entropy.size() <= 32 && entropy.size() % 4 == 0,
               "a mnemonic has 16, 20, 24, 28 or 32 bytes of entropy");
  util::SecretBytes text;
  for (const std::uint16_t number : words_of(entropy)) {
    if (!text.empty()) text.push_back(' ');
    text.insert(text.end(), kMnemonicWords[number].begin(), kMnemonicWords[number].end());
  }
  return {util::SecretBytes(entropy.begin(), entropy.end()), std::move(text)};
}

util::Expected<Mnemonic, MnemonicError> Mnemonic::parse(std::string_view text) {
  if (text.size() > kMaxTextLength) return error(Kind::TooLong, "the mnemonic is longer than 4096 bytes");
  const auto words = split_words(text);
  WordNumbers numbers;
  for (const auto word : words) {
    const auto number = word_number(word);
    if (!number) return error(Kind::UnknownWord, unknown_word_message(word, numbers.size() + 1));
    numbers.push_back(*number);
  }
  if (entropy_size(words.size()) == 0) {
    return error(Kind::WordCount, "a mnemonic has 12, 15, 18, 21 or 24 words, not " + std::to_string(words.size()));
  }
  const util::SecretBytes entropy = entropy_of(numbers);
  if (words_of(entropy) != numbers) {
    return error(Kind::BadChecksum,
                 "wrong checksum: a word of the mnemonic is wrong or two are swapped; all words are in the "
                 "list");
  }
  return from_entropy(entropy);
}

util::Expected<Seed, MnemonicError> Mnemonic::seed(std::string_view passphrase) const {
  return seed_of_sentence(text(), passphrase);
}

util::Expected<Seed, MnemonicError> seed_of_sentence(std::string_view sentence, std::string_view passphrase) {
  const auto password = normalise(sentence);
  if (!password) return util::Unexpected{password.error()};
  const auto suffix = normalise(passphrase);
  if (!suffix) return util::Unexpected{suffix.error()};
  constexpr std::string_view kSaltPrefix = "mnemonic";
  util::SecretBytes salt(kSaltPrefix.begin(), kSaltPrefix.end());
  salt.insert(salt.end(), suffix->begin(), suffix->end());
  Seed seed;
  const int done =
      PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(password->data()), static_cast<int>(password->size()),
                        salt.data(), static_cast<int>(salt.size()), kStretchRounds, EVP_sha512(),
                        static_cast<int>(seed.bytes.size()), seed.bytes.data());
  util::ensure(done == 1, "PBKDF2 of OpenSSL must work");
  return seed;
}

}  // namespace spv::wallet
