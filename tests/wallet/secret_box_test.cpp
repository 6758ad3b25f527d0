#include "wallet/secret_box.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "util/hex.h"
#include "util/rng.h"

namespace spv::wallet {
namespace {

using Error = SecretBoxError;

// A guess costs next to nothing, so that tests can make many.
constexpr ScryptCost kCheap{.log2_n = 4, .r = 1, .p = 1};
constexpr auto kNetwork = chain::Network::Regtest;
constexpr std::size_t kCostAt = 5;  // log2_n, r, p

BoxEntropy entropy(std::uint64_t seed) {
  util::Rng rng(seed);
  BoxEntropy out;
  std::ranges::copy(rng.bytes(out.salt.size()), out.salt.begin());
  std::ranges::copy(rng.bytes(out.nonce.size()), out.nonce.begin());
  return out;
}

util::Bytes seal(std::string_view secret, std::string_view passphrase, std::uint64_t seed = 1,
                 const ScryptCost& cost = kCheap) {
  const auto box = seal_secret(util::as_bytes(secret), util::as_bytes(passphrase), kNetwork, entropy(seed), cost);
  return {box->begin(), box->end()};
}
util::Expected<util::SecretBytes, Error> open(util::ByteView box, std::string_view passphrase) {
  return open_secret(box, util::as_bytes(passphrase), kNetwork);
}

TEST(SecretBox, K1_OpensWithItsPassphraseAlone) {
  const auto box = seal("a seed", "hunter2");
  const auto opened = open(box, "hunter2");
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(std::string(opened->begin(), opened->end()), "a seed");
  for (const char* wrong : {"hunter3", "Hunter2", "hunter2 ", ""}) {
    const auto refused = open(box, wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_EQ(refused.error(), Error::WrongPassphrase);
  }
  const auto elsewhere = open_secret(box, util::as_bytes("hunter2"), chain::Network::Main);
  ASSERT_FALSE(elsewhere.has_value()) << "the network is bound to it";
  EXPECT_EQ(elsewhere.error(), Error::WrongPassphrase);
}

TEST(SecretBox, K1_TheCostIsThatOfTheRulesAndIsStored) {
  const auto box = seal("a seed", "hunter2", 1, {});
  EXPECT_EQ(box[kCostAt], 17);
  EXPECT_EQ(box[kCostAt + 1], 8);
  EXPECT_EQ(box[kCostAt + 2], 1);
  EXPECT_TRUE(open(box, "hunter2").has_value());
}

TEST(SecretBox, K1_AHostileCostIsRefusedAtOnce) {
  struct Cost {
    std::uint8_t log2_n, r, p;
  };
  const auto good = seal("a seed", "hunter2");
  for (const Cost cost : {Cost{30, 8, 1}, Cost{21, 1, 1}, Cost{255, 255, 255}, Cost{17, 17, 1}, Cost{17, 4, 5},
                          Cost{0, 8, 1}, Cost{17, 0, 1}, Cost{17, 8, 0}}) {
    auto box = good;
    box[kCostAt] = cost.log2_n;
    box[kCostAt + 1] = cost.r;
    box[kCostAt + 2] = cost.p;
    const std::clock_t before = std::clock();
    const auto opened = open(box, "hunter2");
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 20);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error(), Error::TooCostly);
  }
}

TEST(SecretBox, K2_EveryFlippedBitIsRefused) {
  const auto good = seal(std::string(64, 's'), "hunter2");
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto box = good;
    box[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_FALSE(open(box, "hunter2").has_value()) << "bit " << bit;
  }
}

TEST(SecretBox, K2_EveryTruncationAndEveryByteMoreIsRefused) {
  const auto good = seal("a seed", "hunter2");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(open(util::ByteView(good).first(size), "hunter2").has_value()) << size;
  }
  auto longer = good;
  longer.push_back(0);
  EXPECT_FALSE(open(longer, "hunter2").has_value());
}

TEST(SecretBox, K2_TwoBoxesOfOneSecretHaveNothingInCommon) {
  const auto a = seal(std::string(64, 's'), "hunter2", 1);
  const auto b = seal(std::string(64, 's'), "hunter2", 2);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(std::equal(a.begin(), a.begin() + 8, b.begin())) << "magic, version, cost";
  std::size_t equal = 0;
  for (std::size_t i = 8; i < a.size(); ++i) equal += a[i] == b[i] ? 1U : 0U;
  EXPECT_LT(equal, 8U);
}

// Turn about, and the least CPU time of each: what else the machine does makes no difference then. Another round where
// it did; a way out before the key is made would be seen in all of them.
TEST(SecretBox, K3_AWrongPassphraseTakesAsLongAsTheRightOne) {
  const auto box = seal("a seed", "hunter2", 1, {.log2_n = 14, .r = 8, .p = 1});
  const auto time = [&](const char* passphrase, double& least) {
    const std::clock_t before = std::clock();
    static_cast<void>(open(box, passphrase).has_value());
    const auto spent = static_cast<double>(std::clock() - before);
    least = least == 0 ? spent : std::min(least, spent);
  };
  double right = 0;
  double wrong = 0;
  double ratio = 0;
  for (int round = 0; round < 100 && (round < 5 || std::abs(ratio - 1) > 0.05); ++round) {
    time("hunter2", right);
    time("hunter3", wrong);
    ratio = wrong / right;
  }
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_NEAR(ratio, 1, 0.05);
}

// ThreadSanitizer looks at every byte that this search looks at, and has gigabytes of its own to be searched.
#ifndef __SANITIZE_THREAD__
// Where a secret lies in the writable memory of this process; the needle is kept inverted, so as not to find itself.
std::size_t hits_in_memory(const util::Bytes& inverted) {
  std::size_t hits = 0;
  std::ifstream maps("/proc/self/maps");
  std::ifstream memory("/proc/self/mem", std::ios::binary);
  std::string line;
  std::vector<char> chunk(1U << 20U);
  const auto own_first = reinterpret_cast<std::uintptr_t>(chunk.data());
  while (std::getline(maps, line)) {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    char mode[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &first, &last, mode) != 3 || std::string_view(mode, 2) != "rw")
      continue;
    if (last - first > (1UL << 28U)) continue;  // a sanitizer's shadow
    for (; first < last; first += chunk.size() - inverted.size()) {
      const auto size = std::min<std::size_t>(chunk.size(), last - first);
      memory.clear();
      memory.seekg(static_cast<std::streamoff>(first));
      if (!memory.read(chunk.data(), static_cast<std::streamsize>(size))) break;
      for (std::size_t i = 0; i + inverted.size() <= size; ++i) {
        std::size_t n = 0;
        while (n < inverted.size() && static_cast<std::uint8_t>(~chunk[i + n]) == inverted[n]) ++n;
        const bool in_chunk = first + i + n > own_first && first + i < own_first + chunk.size();
        if (n == inverted.size() && !in_chunk) ++hits;
      }
      if (size < chunk.size()) break;
    }
  }
  std::ranges::fill(chunk, 0);
  return hits;
}

TEST(SecretBox, K6_AnOpenedSecretIsNowhereInMemoryAfterUse) {
  util::Bytes inverted(32);
  util::Bytes box;
  {
    // Made in place, from numbers that stand nowhere as such.
    util::SecretBytes secret(32);
    for (std::size_t i = 0; i < secret.size(); ++i) {
      secret[i] = static_cast<std::uint8_t>(i * 37U + 11U);
      inverted[i] = static_cast<std::uint8_t>(~secret[i]);
    }
    const auto sealed = seal_secret(secret, util::as_bytes("hunter2"), kNetwork, entropy(3), kCheap);
    box.assign(sealed->begin(), sealed->end());
  }
  {
    const auto opened = open(box, "hunter2");
    ASSERT_TRUE(opened.has_value());
    EXPECT_GE(hits_in_memory(inverted), 1U) << "while it is open the search must find it";
  }
  EXPECT_EQ(hits_in_memory(inverted), 0U);
}
#endif

TEST(SecretBox, K1_ScryptVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "crypto/primitives.json");
  const auto document = test::read_json(path);
  int cases = 0;
  for (const auto& item : document.at("scrypt").as_array()) {
    const auto& fields = item.as_object();
    const std::string salt_text(item.at("salt").as_string());
    const bool is_hex = fields.contains("salt_is_hex") && item.at("salt_is_hex").as_bool();
    const auto salt = is_hex ? test::hex(salt_text) : util::to_bytes(util::as_bytes(salt_text));
    const auto n = item.at("N").to_number<std::uint64_t>();
    const ScryptCost cost{.log2_n = static_cast<std::uint8_t>(std::countr_zero(n)),
                          .r = item.at("r").to_number<std::uint8_t>(),
                          .p = item.at("p").to_number<std::uint8_t>()};
    const auto key = scrypt(util::as_bytes(std::string_view(item.at("password").as_string())), salt, cost,
                            item.at("dkLen").to_number<std::size_t>());
    ASSERT_TRUE(key.has_value());
    EXPECT_EQ(util::to_hex(*key), item.at("out").as_string());
    ++cases;
  }
  EXPECT_GE(cases, 1);
}

TEST(SecretBox, ErrorsSayWhatToDo) {
  for (const Error error : {Error::Malformed, Error::TooCostly, Error::NoMemory, Error::WrongPassphrase}) {
    EXPECT_NE(to_string(error).find(';'), std::string_view::npos);
  }
}

}  // namespace
}  // namespace spv::wallet
