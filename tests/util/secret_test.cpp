// Whether secrets are wiped can be seen legally in two places: in storage of our own that outlives an object, and in
// operator delete, which a program may replace and which gets the block while it is still allocated.
#include "util/secret.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include <gtest/gtest.h>

namespace {

const void* watched_block = nullptr;
std::size_t watched_size = 0;
int freed_wiped = 0;
int freed_unwiped = 0;

void on_free(const void* block) {
  if (block == nullptr || block != watched_block) return;
  const auto* bytes = static_cast<const unsigned char*>(block);
  const bool wiped = std::all_of(bytes, bytes + watched_size, [](unsigned char byte) { return byte == 0; });
  ++(wiped ? freed_wiped : freed_unwiped);
  watched_block = nullptr;
}

void watch(const void* block, std::size_t size) {
  watched_block = block;
  watched_size = size;
  freed_wiped = 0;
  freed_unwiped = 0;
}

}  // namespace

void* operator new(std::size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept {
  on_free(block);
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  on_free(block);
  std::free(block);
}

namespace spv::util {
namespace {

// Without this the tests below would prove nothing.
TEST(SecretBytes, K6_TheWatchSeesAnOrdinaryVectorFreedUnwiped) {
  {
    Bytes bytes(48, 0xA5);
    watch(bytes.data(), bytes.size());
  }
  EXPECT_EQ(freed_unwiped, 1);
}

TEST(SecretBytes, K6_AreWipedWhenTheyGo) {
  {
    SecretBytes secret(48, 0xA5);
    watch(secret.data(), secret.size());
  }
  EXPECT_EQ(freed_wiped, 1);
  EXPECT_EQ(freed_unwiped, 0);
}

TEST(SecretBytes, K6_TheOldBlockIsWipedWhenTheyGrow) {
  SecretBytes secret(48, 0xA5);
  watch(secret.data(), secret.size());
  secret.resize(secret.capacity() + 1);
  EXPECT_EQ(freed_wiped, 1);
  EXPECT_EQ(secret.front(), 0xA5);
}

TEST(SecretBytes, K6_AreWipedWhereOthersAreMovedIn) {
  SecretBytes secret(48, 0xA5);
  watch(secret.data(), secret.size());
  secret = SecretBytes(16, 0x01);
  EXPECT_EQ(freed_wiped, 1);
}

TEST(SecretArray, K6_WipesItselfWhenItGoes) {
  using Secret = SecretArray<32>;
  alignas(Secret) std::array<unsigned char, sizeof(Secret)> storage{};
  auto* secret = new (storage.data()) Secret;
  secret->bytes.fill(0xA5);
  ASSERT_EQ(std::count(storage.begin(), storage.end(), 0xA5), 32);
  std::destroy_at(secret);
  EXPECT_EQ(std::count(storage.begin(), storage.end(), 0), 32);
}

TEST(SecretArray, StartsAsZeroAndCopies) {
  SecretArray<4> secret;
  EXPECT_EQ(secret.bytes, (std::array<std::uint8_t, 4>{}));
  secret.bytes = {1, 2, 3, 4};
  const SecretArray<4> copy = secret;
  EXPECT_TRUE(std::ranges::equal(copy.view(), secret.bytes));
}

TEST(SecretBytes, K6_LiveInTheSecureHeapAndBesideItOnceItIsFull) {
  ASSERT_NE(CRYPTO_secure_malloc_init(4096, 32), 0);
  {
    const SecretBytes secret(48, 0xA5);
    EXPECT_EQ(CRYPTO_secure_allocated(secret.data()), 1);
    EXPECT_GE(CRYPTO_secure_used(), 48U);
    SecretBytes large(10'000, 0xA5);
    EXPECT_EQ(CRYPTO_secure_allocated(large.data()), 0);
    watch(large.data(), large.size());
  }
  EXPECT_EQ(freed_wiped, 1);
  EXPECT_EQ(CRYPTO_secure_used(), 0U);
  EXPECT_EQ(CRYPTO_secure_malloc_done(), 1);
}

}  // namespace
}  // namespace spv::util
