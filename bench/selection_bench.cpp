// What choosing coins costs, in CPU time: a payment from wallets of 10,000 and 100,000 coins, at a low and a high rate.
// Exits with 1 where a limit of the design is passed: 50 ms and 500 ms.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/resources.h"
#include "util/rng.h"
#include "wallet/spend/payment.h"

namespace {

using namespace spv;
using namespace spv::wallet::spend;

util::Bytes script_of(std::uint64_t number) {
  util::Bytes script(22, 0x5A);
  script[0] = 0x00;
  script[1] = 0x14;
  for (std::size_t i = 0; i < 8; ++i) script[2 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  return script;
}

/// Amounts over six orders of magnitude; every fourth script is used again.
std::vector<Candidate> many_coins(std::size_t count, util::Rng& rng) {
  std::vector<Candidate> coins(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = rng.bytes(32);
    std::copy(bytes.begin(), bytes.end(), coins[i].outpoint.txid.bytes.begin());
    coins[i].output.value = static_cast<chain::Amount>(500 + rng.below(1ULL << (10 + rng.below(20))));
    coins[i].output.script_pubkey = script_of(rng.below(4) == 0 ? rng.below(count) : i);
    coins[i].weight = InputWeight{.weight = 271, .segwit = true};
  }
  return coins;
}

bool measure(const std::vector<Candidate>& coins, chain::Amount amount, std::int64_t rate, double limit) {
  const std::vector<ChangeScript> change{{.script = script_of(~0ULL)}};
  const util::Bytes secret(32, 1);
  SpendContext context;
  context.coins = coins;
  context.change = change;
  context.secret = secret;
  PaymentRequest request;
  request.recipients.push_back({.script = script_of(~1ULL), .amount = amount});
  request.rate = FeeRate(rate);
  request.allowed.high_fee = true;
  const double before = bench::cpu_seconds();
  const auto draft = make_payment(request, context);
  const double spent = bench::cpu_seconds() - before;
  std::printf("  %7zu coins, %10lld sat at %3lld sat/vB: %4zu inputs %8.1f ms (limit %.0f)\n", coins.size(),
              static_cast<long long>(amount), static_cast<long long>(rate / 1'000), draft ? draft->inputs.size() : 0,
              1'000 * spent, 1'000 * limit);
  return draft && spent < limit;
}

}  // namespace

int main() {
  util::Rng rng(1);
  bool good = true;
  for (const auto& [count, limit] : {std::pair{std::size_t{10'000}, 0.050}, std::pair{std::size_t{100'000}, 0.500}}) {
    const auto coins = many_coins(count, rng);
    for (const std::int64_t rate : {1'000, 20'000, 100'000}) {
      for (const chain::Amount amount : {20'000LL, 5'000'000LL, 2'000'000'000LL}) {
        good = measure(coins, amount, rate, limit) && good;
      }
    }
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
