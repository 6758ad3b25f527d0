#include "store/rows.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "util/codec.h"
#include "util/hash.h"
#include "wallet/key_ring.h"

namespace spv::store {
namespace {

constexpr std::size_t kAnchorSize = 4 + chain::BlockHash::kSize;
constexpr std::size_t kMaxAnchors = 1'000;
constexpr std::size_t kAttestedHeader = 8;
constexpr std::size_t kPeriodSize = 8;
constexpr std::int64_t kMaxGapLimit = 100'000;

void require(bool condition, const char* what) {
  if (!condition) throw_corrupt(what);
}

template <typename T>
T ranged(std::int64_t value, std::int64_t low, std::int64_t high, const char* what) {
  require(value >= low && value <= high, what);
  return static_cast<T>(value);
}
std::uint32_t read_u32(std::int64_t value, const char* what) {
  return ranged<std::uint32_t>(value, 0, std::numeric_limits<std::uint32_t>::max(), what);
}
chain::Height read_height(std::int64_t value, const char* what) {
  return ranged<chain::Height>(value, -1, std::numeric_limits<chain::Height>::max(), what);
}

template <typename Array>
Array fixed_bytes(util::ByteView bytes, const char* what) {
  Array out{};
  require(bytes.size() == out.size(), what);
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}
template <typename Hash>
Hash read_hash(util::ByteView bytes, const char* what) {
  return Hash{fixed_bytes<decltype(Hash::bytes)>(bytes, what)};
}

void check(const Statement& from, int column, const Checksum& expected, const char* what) {
  require(fixed_bytes<Checksum>(from.blob(column), what) == expected, what);
}

util::Writer& write_optional(util::Writer& out, const std::optional<std::int64_t>& value) {
  return out.integer(std::uint8_t{value.has_value()}).integer(value.value_or(0));
}

Checksum checksum_of(const WalletRow& row) {
  util::Writer values;
  values.var_string("wallet").var_string(chain::params(row.config.network).name).var_string(to_string(row.info.kind));
  values.integer(row.info.created).integer(std::uint8_t{row.info.fingerprint.has_value()});
  if (row.info.fingerprint) values.bytes(*row.info.fingerprint);
  values.integer(row.config.gap_limit).integer(row.config.birthday);
  write_optional(values, row.config.birthday_time).integer(row.config.filter.tweak);
  values.integer(row.config.filter.decoy_seed).integer(row.key_chains);
  return checksum_over(values);
}

Checksum checksum_of(std::int64_t id, const std::string& descriptor, bool change, const wallet::KeyChainState& state) {
  util::Writer values;
  values.var_string("key_chain").integer(id).var_string(descriptor).integer(std::uint8_t{change});
  write_optional(values.integer(state.watched), state.last_used).integer(state.next_unissued);
  return checksum_over(values);
}

Checksum checksum_of(const ScanRow& row, util::ByteView anchors, util::ByteView attested) {
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;
  if (row.scan.backfill) {
    from = row.scan.backfill->from;
    to = row.scan.backfill->to;
  }
  util::Writer values;
  values.var_string("scan").integer(row.scan.scanned_to.height).hash(row.scan.scanned_to.hash);
  write_optional(write_optional(values, from), to).var_bytes(anchors);
  values.integer(row.totals.count).bytes(row.totals.sum);
  // Not in rows of version 2 and before, whose checksums must go on to hold.
  if (!attested.empty()) values.var_bytes(attested);
  return checksum_over(values);
}

Checksum checksum_of(const wallet::TxRecord& record, util::ByteView raw) {
  util::Writer values(raw.size() + record.proof.size() + 160);
  values.var_string("tx").hash(record.txid).var_bytes(raw).integer(std::uint8_t{record.confirmation.has_value()});
  if (record.confirmation) {
    values.integer(record.confirmation->block.height).hash(record.confirmation->block.hash);
    values.integer(record.confirmation->block_time).integer(record.confirmation->index);
  }
  values.integer(record.first_seen).integer(record.sequence).var_bytes(record.proof);
  // Not in rows of version 1, whose checksums must go on to hold.
  if (record.seen_at != 0) values.integer(record.seen_at);
  // Not in rows of version 4 and before; the word keeps it apart from what could stand there instead.
  if (record.sending) {
    values.var_string("sending").integer(static_cast<std::uint8_t>(record.sending->state));
    values.integer(record.sending->peers_accepted);
  }
  return checksum_over(values);
}

Checksum checksum_of(const StoredSecret& secret) {
  // Not through a Writer: its buffer is not wiped.
  util::Sha256 hash;
  const auto format = static_cast<std::uint8_t>(secret.format);
  const util::Hash256 digest = hash.write({&format, 1}).write(secret.data).finish_double();
  Checksum out{};
  std::copy_n(digest.bytes.begin(), out.size(), out.begin());
  return out;
}

util::Bytes encode_anchors(const std::vector<chain::BlockRef>& anchors) {
  util::Writer out;
  for (const auto& anchor : anchors) out.integer(anchor.height).hash(anchor.hash);
  return out.take();
}

std::vector<chain::BlockRef> decode_anchors(util::ByteView bytes) {
  require(bytes.size() % kAnchorSize == 0 && bytes.size() / kAnchorSize <= kMaxAnchors, "scan anchors");
  util::Reader in(bytes);
  std::vector<chain::BlockRef> anchors(bytes.size() / kAnchorSize);
  for (auto& anchor : anchors) {
    anchor.height = in.integer<chain::Height>();
    anchor.hash = in.hash<chain::BlockHash>();
  }
  return anchors;
}

// Nothing where nothing is known.
util::Bytes encode_attested(const wallet::ScanState& scan) {
  const auto& periods = scan.attested.periods();
  util::Writer out;
  if (scan.time == 0 && scan.peers == 0 && periods.empty()) return out.take();
  out.integer(scan.time).integer(scan.peers);
  for (const auto& period : periods) out.integer(period.index).integer(period.by_two).integer(period.whole);
  return out.take();
}

void decode_attested(util::ByteView bytes, wallet::ScanState& scan) {
  if (bytes.empty()) return;
  require(bytes.size() >= kAttestedHeader && (bytes.size() - kAttestedHeader) % kPeriodSize == 0, "attestation");
  util::Reader in(bytes);
  scan.time = in.integer<std::uint32_t>();
  scan.peers = in.integer<std::uint32_t>();
  std::vector<wallet::Attestation::Period> periods((bytes.size() - kAttestedHeader) / kPeriodSize);
  for (auto& period : periods) {
    period.index = in.integer<std::uint32_t>();
    period.by_two = in.integer<std::uint16_t>();
    period.whole = in.integer<std::uint16_t>();
  }
  require(scan.attested.restore(std::move(periods)), "attestation");
}

std::optional<wallet::Confirmation> read_confirmation(const Statement& from) {
  const bool absent = from.is_null(2);
  require(from.is_null(3) == absent && from.is_null(4) == absent && from.is_null(5) == absent, "a transaction's block");
  if (absent) return std::nullopt;
  wallet::Confirmation confirmation;
  confirmation.block.height = read_height(from.integer(2), "a transaction's height");
  confirmation.block.hash = read_hash<chain::BlockHash>(from.blob(3), "a transaction's block");
  confirmation.block_time = read_u32(from.integer(4), "a transaction's time");
  confirmation.index = read_u32(from.integer(5), "a transaction's index");
  return confirmation;
}

std::optional<wallet::Sending> read_sending(const Statement& from) {
  const auto state = from.optional_integer(11);
  const auto peers = from.optional_integer(12);
  require(state.has_value() == peers.has_value(), "a transaction's send state");
  if (!state) return std::nullopt;
  const auto last = static_cast<std::int64_t>(wallet::kLastSendState);
  return wallet::Sending{
      .state = static_cast<wallet::SendState>(ranged<std::uint8_t>(*state, 0, last, "a transaction's send state")),
      .peers_accepted = read_u32(*peers, "a transaction's send state")};
}

}  // namespace

Checksum checksum_over(const util::Writer& values) {
  const util::Hash256 hash = util::sha256(values.data());
  Checksum out{};
  std::copy_n(hash.bytes.begin(), out.size(), out.begin());
  return out;
}

void throw_corrupt(const std::string& what) {
  throw StoreError(StoreError::Kind::Corrupt,
                   "the wallet file is damaged (" + what + "); use a backup or restore from the mnemonic");
}

std::string_view to_string(WalletKind kind) { return kind == WalletKind::Mnemonic ? "mnemonic" : "watch"; }

void TxTotals::toggle(const Checksum& checksum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<std::uint8_t>(sum[i] ^ checksum[i]);
}

void bind_wallet(Statement& into, const WalletRow& row) {
  into.bind(1, chain::params(row.config.network).name).bind(2, to_string(row.info.kind)).bind(3, row.info.created);
  if (row.info.fingerprint) {
    into.bind(4, util::ByteView(*row.info.fingerprint));
  } else {
    into.bind_null(4);
  }
  into.bind(5, std::int64_t{row.config.gap_limit}).bind(6, std::int64_t{row.config.birthday});
  if (row.config.birthday_time) {
    into.bind(7, *row.config.birthday_time);
  } else {
    into.bind_null(7);
  }
  into.bind(8, std::int64_t{row.config.filter.tweak});
  into.bind(9, std::bit_cast<std::int64_t>(row.config.filter.decoy_seed)).bind(10, row.key_chains);
  into.bind(11, util::ByteView(checksum_of(row)));
}

WalletRow read_wallet(const Statement& from) {
  WalletRow row;
  const auto network = chain::parse_network(from.text(0));
  require(network.has_value(), "network");
  row.config.network = *network;
  const std::string kind = from.text(1);
  require(kind == "mnemonic" || kind == "watch", "kind of wallet");
  row.info.kind = kind == "mnemonic" ? WalletKind::Mnemonic : WalletKind::Watch;
  row.info.created = from.integer(2);
  if (!from.is_null(3)) row.info.fingerprint = fixed_bytes<std::array<std::uint8_t, 4>>(from.blob(3), "fingerprint");
  row.config.gap_limit = ranged<std::uint32_t>(from.integer(4), 1, kMaxGapLimit, "gap limit");
  row.config.birthday =
      ranged<chain::Height>(from.integer(5), 0, std::numeric_limits<chain::Height>::max(), "birthday");
  if (!from.is_null(6)) row.config.birthday_time = from.integer(6);
  row.config.filter.tweak = read_u32(from.integer(7), "filter tweak");
  row.config.filter.decoy_seed = std::bit_cast<std::uint64_t>(from.integer(8));
  row.key_chains = from.integer(9);
  check(from, 10, checksum_of(row), "wallet row");
  return row;
}

void bind_key_chain(Statement& into, std::int64_t id, const KeyChainRow& row) {
  const std::string descriptor = row.config.descriptor.to_string();
  into.bind(1, descriptor).bind(2, std::int64_t{row.config.change}).bind(3, std::int64_t{row.state.watched});
  into.bind(4, std::optional<std::int64_t>(row.state.last_used)).bind(5, std::int64_t{row.state.next_unissued});
  into.bind(6, util::ByteView(checksum_of(id, descriptor, row.config.change, row.state)));
}

KeyChainRow read_key_chain(const Statement& from, std::int64_t id, const wallet::WalletConfig& config) {
  const std::string text = from.text(0);
  const bool change = ranged<int>(from.integer(1), 0, 1, "change flag") == 1;
  wallet::KeyChainState state;
  state.watched = read_u32(from.integer(2), "watched scripts");
  if (const auto last = from.optional_integer(3)) state.last_used = read_u32(*last, "last used index");
  state.next_unissued = read_u32(from.integer(4), "next index");
  check(from, 5, checksum_of(id, text, change, state), "key chain row");
  auto parsed = wallet::Descriptor::parse(text, chain::params(config.network));
  require(parsed.has_value() && parsed->size() == 1, "descriptor");
  const wallet::Descriptor& descriptor = parsed->front();
  // Whoever opens a wallet derives what it watches: a wild number would keep it busy for hours.
  require(state.watched <= wallet::KeyRing::max_watched(descriptor, config.gap_limit, state.last_used) &&
              state.last_used.value_or(0) <= state.watched && state.next_unissued <= state.watched,
          "watched scripts");
  return {.config = {.descriptor = descriptor, .change = change}, .state = state};
}

void bind_scan(Statement& into, const ScanRow& row) {
  const util::Bytes anchors = encode_anchors(row.scan.anchors);
  const util::Bytes attested = encode_attested(row.scan);
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;
  if (row.scan.backfill) {
    from = row.scan.backfill->from;
    to = row.scan.backfill->to;
  }
  into.bind(1, std::int64_t{row.scan.scanned_to.height}).bind(2, row.scan.scanned_to.hash.view());
  into.bind(3, from).bind(4, to).bind(5, util::ByteView(anchors));
  into.bind(6, row.totals.count).bind(7, util::ByteView(row.totals.sum));
  into.bind(8, util::ByteView(checksum_of(row, anchors, attested))).bind(9, util::ByteView(attested));
}

ScanRow read_scan(const Statement& from) {
  ScanRow row;
  row.scan.scanned_to.height = read_height(from.integer(0), "scanned height");
  row.scan.scanned_to.hash = read_hash<chain::BlockHash>(from.blob(1), "scanned block");
  require(from.is_null(2) == from.is_null(3), "backfill");
  if (!from.is_null(2)) {
    row.scan.backfill = wallet::HeightRange{.from = read_height(from.integer(2), "backfill"),
                                            .to = read_height(from.integer(3), "backfill")};
  }
  row.scan.anchors = decode_anchors(from.blob(4));
  row.totals.count = from.integer(5);
  row.totals.sum = fixed_bytes<Checksum>(from.blob(6), "sum of transactions");
  decode_attested(from.blob(8), row.scan);
  check(from, 7, checksum_of(row, from.blob(4), from.blob(8)), "scan row");
  return row;
}

Checksum bind_tx(Statement& into, const wallet::TxRecord& record) {
  const util::Bytes raw = record.tx.serialize();
  into.bind(1, record.txid.view()).bind(2, util::ByteView(raw));
  if (record.confirmation) {
    into.bind(3, std::int64_t{record.confirmation->block.height}).bind(4, record.confirmation->block.hash.view());
    into.bind(5, std::int64_t{record.confirmation->block_time}).bind(6, std::int64_t{record.confirmation->index});
  } else {
    for (int column = 3; column <= 6; ++column) into.bind_null(column);
  }
  const Checksum checksum = checksum_of(record, raw);
  into.bind(7, record.first_seen).bind(8, static_cast<std::int64_t>(record.sequence));
  into.bind(9, util::ByteView(record.proof)).bind(10, util::ByteView(checksum));
  into.bind(11, std::int64_t{record.seen_at});
  std::optional<std::int64_t> state;
  std::optional<std::int64_t> peers;
  if (record.sending) {
    state = static_cast<std::int64_t>(record.sending->state);
    peers = record.sending->peers_accepted;
  }
  into.bind(12, state).bind(13, peers);
  return checksum;
}

TxRow read_tx(const Statement& from) {
  TxRow row;
  row.record.txid = read_hash<chain::Txid>(from.blob(0), "txid");
  const util::ByteView raw = from.blob(1);
  auto tx = chain::Transaction::parse(raw);
  require(tx.has_value() && chain::check_structure(*tx) && tx->txid() == row.record.txid, "a transaction");
  row.record.tx = std::move(*tx);
  row.record.confirmation = read_confirmation(from);
  row.record.first_seen = from.integer(6);
  row.record.sequence = ranged<std::uint64_t>(from.integer(7), 0, std::numeric_limits<std::int64_t>::max() - 1,
                                              "a transaction's sequence");
  row.record.proof = util::to_bytes(from.blob(8));
  row.record.seen_at = read_height(from.integer(10), "a transaction's sighting");
  row.record.sending = read_sending(from);
  row.checksum = checksum_of(row.record, raw);
  check(from, 9, row.checksum, "transaction row");
  return row;
}

void bind_secret(Statement& into, const StoredSecret& secret) {
  into.bind(1, static_cast<std::int64_t>(secret.format)).bind(2, util::ByteView(secret.data));
  into.bind(3, util::ByteView(checksum_of(secret)));
}

StoredSecret read_secret(const Statement& from) {
  StoredSecret secret;
  secret.format = from.integer(0) == 0 ? StoredSecret::Format::Plain : StoredSecret::Format::Encrypted;
  require(from.integer(0) == static_cast<std::int64_t>(secret.format), "format of the secret");
  const util::ByteView data = from.blob(1);
  secret.data.assign(data.begin(), data.end());
  check(from, 2, checksum_of(secret), "secret");
  return secret;
}

}  // namespace spv::store
