#include "store/checks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "util/codec.h"
#include "wallet/key_ring.h"

namespace spv::store {
namespace {

constexpr std::size_t kAnchorSize = 4 + chain::BlockHash::kSize;
constexpr std::size_t kMaxAnchors = 1'000;
constexpr std::size_t kPeriodSize = 8;
constexpr std::int64_t kMaxGapLimit = 100'000;

template <typename T>
T ranged(std::int64_t value, std::int64_t low, std::int64_t high, const char* what) {
  require_sound(value >= low && value <= high, what);
  return static_cast<T>(value);
}
chain::Height checked_height(std::int64_t value, const char* what) {
  return ranged<chain::Height>(value, -1, std::numeric_limits<chain::Height>::max(), what);
}

template <typename Array>
Array fixed_bytes(util::ByteView bytes, const char* what) {
  Array out{};
  require_sound(bytes.size() == out.size(), what);
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}
template <typename Hash>
Hash checked_hash(util::ByteView bytes, const char* what) {
  return Hash{fixed_bytes<decltype(Hash::bytes)>(bytes, what)};
}

std::vector<chain::BlockRef> decode_anchors(util::ByteView bytes) {
  require_sound(bytes.size() % kAnchorSize == 0 && bytes.size() / kAnchorSize <= kMaxAnchors, "scan anchors");
  util::Reader in(bytes);
  std::vector<chain::BlockRef> anchors(bytes.size() / kAnchorSize);
  for (auto& anchor : anchors) {
    anchor.height = in.integer<chain::Height>();
    anchor.hash = in.hash<chain::BlockHash>();
  }
  return anchors;
}

std::optional<wallet::Confirmation> checked_confirmation(const TxValues& values) {
  const bool present = values.block_height.has_value();
  require_sound(values.block_hash.has_value() == present && values.block_time.has_value() == present &&
                    values.block_index.has_value() == present,
                "a transaction's block");
  if (!present) return std::nullopt;
  wallet::Confirmation confirmation;
  confirmation.block.height = checked_height(*values.block_height, "a transaction's height");
  confirmation.block.hash = checked_hash<chain::BlockHash>(*values.block_hash, "a transaction's block");
  confirmation.block_time = checked_u32(*values.block_time, "a transaction's time");
  confirmation.index = checked_u32(*values.block_index, "a transaction's index");
  return confirmation;
}

std::optional<wallet::Sending> checked_sending(const TxValues& values) {
  const char* what = "a transaction's send state";
  require_sound(values.send_state.has_value() == values.peers_accepted.has_value(), what);
  if (!values.send_state) return std::nullopt;
  const auto last = static_cast<std::int64_t>(wallet::kLastSendState);
  return wallet::Sending{
      .state = static_cast<wallet::SendState>(ranged<std::uint8_t>(*values.send_state, 0, last, what)),
      .peers_accepted = checked_u32(*values.peers_accepted, what)};
}

}  // namespace

void throw_corrupt(const std::string& what) {
  throw StoreError(StoreError::Kind::Corrupt,
                   "the stored wallet is damaged (" + what + "); use a backup or restore from the mnemonic");
}

void require_sound(bool condition, const char* what) {
  if (!condition) throw_corrupt(what);
}

std::uint32_t checked_u32(std::int64_t value, const char* what) {
  return ranged<std::uint32_t>(value, 0, std::numeric_limits<std::uint32_t>::max(), what);
}

std::uint32_t checked_gap_limit(std::int64_t value) {
  return ranged<std::uint32_t>(value, 1, kMaxGapLimit, "gap limit");
}

std::string_view to_string(WalletKind kind) { return kind == WalletKind::Mnemonic ? "mnemonic" : "watch"; }

void read_checked(const WalletValues& values, wallet::WalletConfig& config, WalletInfo& info) {
  require_sound(values.kind == "mnemonic" || values.kind == "watch", "kind of wallet");
  info.kind = values.kind == "mnemonic" ? WalletKind::Mnemonic : WalletKind::Watch;
  info.created = values.created;
  info.fingerprint.reset();
  if (values.fingerprint) {
    info.fingerprint = fixed_bytes<std::array<std::uint8_t, 4>>(*values.fingerprint, "fingerprint");
  }
  config.gap_limit = checked_gap_limit(values.gap_limit);
  config.birthday = ranged<chain::Height>(values.birthday, 0, std::numeric_limits<chain::Height>::max(), "birthday");
  config.birthday_time = values.birthday_time;
  config.filter.tweak = checked_u32(values.filter_tweak, "filter tweak");
  config.filter.decoy_seed = std::bit_cast<std::uint64_t>(values.decoy_seed);
}

KeyChainRow checked(const KeyChainValues& values, const wallet::WalletConfig& config) {
  wallet::KeyChainState state;
  state.watched = checked_u32(values.watched, "watched scripts");
  if (values.last_used) state.last_used = checked_u32(*values.last_used, "last used index");
  state.next_unissued = checked_u32(values.next_unissued, "next index");
  auto parsed = wallet::Descriptor::parse(values.descriptor, chain::params(config.network));
  require_sound(parsed.has_value() && parsed->size() == 1, "descriptor");
  const wallet::Descriptor& descriptor = parsed->front();
  // Whoever opens a wallet derives what it watches: a wild number would keep it busy for hours.
  require_sound(state.watched <= wallet::KeyRing::max_watched(descriptor, config.gap_limit, state.last_used,
                                                              state.next_unissued) &&
                    state.last_used.value_or(0) <= state.watched && state.next_unissued <= state.watched,
                "watched scripts");
  return {.config = {.descriptor = descriptor, .change = values.change}, .state = state};
}

wallet::ScanState checked(const ScanValues& values) {
  wallet::ScanState scan;
  scan.scanned_to.height = checked_height(values.height, "scanned height");
  scan.scanned_to.hash = checked_hash<chain::BlockHash>(values.hash, "scanned block");
  require_sound(values.backfill_from.has_value() == values.backfill_to.has_value(), "backfill");
  if (values.backfill_from) {
    scan.backfill = wallet::HeightRange{.from = checked_height(*values.backfill_from, "backfill"),
                                        .to = checked_height(*values.backfill_to, "backfill")};
  }
  scan.anchors = decode_anchors(values.anchors);
  return scan;
}

util::Bytes encode_anchors(const std::vector<chain::BlockRef>& anchors) {
  util::Writer out(anchors.size() * kAnchorSize);
  for (const auto& anchor : anchors) out.integer(anchor.height).hash(anchor.hash);
  return out.take();
}

util::Bytes encode_periods(const wallet::Attestation& attested) {
  util::Writer out;
  for (const auto& period : attested.periods()) {
    out.integer(period.index).integer(period.by_two).integer(period.whole);
  }
  return out.take();
}

wallet::Attestation decode_periods(util::ByteView bytes) {
  require_sound(bytes.size() % kPeriodSize == 0, "attestation");
  util::Reader in(bytes);
  std::vector<wallet::Attestation::Period> periods(bytes.size() / kPeriodSize);
  for (auto& period : periods) {
    period.index = in.integer<std::uint32_t>();
    period.by_two = in.integer<std::uint16_t>();
    period.whole = in.integer<std::uint16_t>();
  }
  wallet::Attestation attested;
  require_sound(attested.restore(std::move(periods)), "attestation");
  return attested;
}

wallet::TxRecord checked(const TxValues& values) {
  wallet::TxRecord record;
  record.txid = checked_hash<chain::Txid>(values.txid, "txid");
  auto tx = chain::Transaction::parse(values.raw);
  require_sound(tx.has_value() && chain::check_structure(*tx) && tx->txid() == record.txid, "a transaction");
  record.tx = std::move(*tx);
  record.confirmation = checked_confirmation(values);
  record.first_seen = values.first_seen;
  record.sequence = ranged<std::uint64_t>(values.sequence, 0, std::numeric_limits<std::int64_t>::max() - 1,
                                          "a transaction's sequence");
  record.proof = util::to_bytes(values.proof);
  record.seen_at = checked_height(values.seen_at, "a transaction's sighting");
  record.sending = checked_sending(values);
  return record;
}

wallet::Told checked(const ToldValues& values) {
  const char* what = "what was told";
  wallet::Told told;
  told.txid = checked_hash<chain::Txid>(values.txid, what);
  const auto last = static_cast<std::int64_t>(wallet::kLastTxStanding);
  told.state = static_cast<wallet::TxStanding>(ranged<std::uint8_t>(values.state, 0, last, what));
  told.net = values.net;
  if (values.block) told.block = checked_hash<chain::BlockHash>(*values.block, what);
  return told;
}

StoredSecret::Format checked_secret_format(std::int64_t format) {
  return static_cast<StoredSecret::Format>(ranged<int>(format, 0, 1, "format of the secret"));
}

}  // namespace spv::store
