#include "store/rows.h"

#include <algorithm>
#include <bit>
#include <string>

#include "util/codec.h"
#include "util/hash.h"

namespace spv::store {

Checksum read_checksum(util::ByteView bytes, const char* what) {
  Checksum out{};
  require_sound(bytes.size() == out.size(), what);
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

namespace {

constexpr std::size_t kAttestedHeader = 8;

void check(const Statement& from, int column, const Checksum& expected, const char* what) {
  require_sound(read_checksum(from.blob(column), what) == expected, what);
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

// Nothing where nothing is known.
util::Bytes encode_attested(const wallet::ScanState& scan) {
  const util::Bytes periods = encode_periods(scan.attested);
  util::Writer out;
  if (scan.time == 0 && scan.peers == 0 && periods.empty()) return out.take();
  out.integer(scan.time).integer(scan.peers).bytes(periods);
  return out.take();
}

void decode_attested(util::ByteView bytes, wallet::ScanState& scan) {
  if (bytes.empty()) return;
  require_sound(bytes.size() >= kAttestedHeader, "attestation");
  util::Reader in(bytes);
  scan.time = in.integer<std::uint32_t>();
  scan.peers = in.integer<std::uint32_t>();
  scan.attested = decode_periods(in.rest());
}

std::optional<util::ByteView> optional_blob(const Statement& from, int column) {
  if (from.is_null(column)) return std::nullopt;
  return from.blob(column);
}

}  // namespace

Checksum checksum_over(const util::Writer& values) {
  const util::Hash256 hash = util::sha256(values.data());
  Checksum out{};
  std::copy_n(hash.bytes.begin(), out.size(), out.begin());
  return out;
}

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
  require_sound(network.has_value(), "network");
  row.config.network = *network;
  const std::string kind = from.text(1);
  read_checked({.kind = kind,
                .created = from.integer(2),
                .fingerprint = optional_blob(from, 3),
                .gap_limit = from.integer(4),
                .birthday = from.integer(5),
                .birthday_time = from.optional_integer(6),
                .filter_tweak = from.integer(7),
                .decoy_seed = from.integer(8)},
               row.config, row.info);
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
  require_sound(from.integer(1) == 0 || from.integer(1) == 1, "change flag");
  KeyChainRow row = checked({.descriptor = text,
                             .change = from.integer(1) == 1,
                             .watched = from.integer(2),
                             .last_used = from.optional_integer(3),
                             .next_unissued = from.integer(4)},
                            config);
  check(from, 5, checksum_of(id, text, row.config.change, row.state), "key chain row");
  return row;
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
  row.scan = checked({.height = from.integer(0),
                      .hash = from.blob(1),
                      .backfill_from = from.optional_integer(2),
                      .backfill_to = from.optional_integer(3),
                      .anchors = from.blob(4)});
  row.totals.count = from.integer(5);
  row.totals.sum = read_checksum(from.blob(6), "sum of transactions");
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
  const util::ByteView raw = from.blob(1);
  row.record = checked({.txid = from.blob(0),
                        .raw = raw,
                        .block_height = from.optional_integer(2),
                        .block_hash = optional_blob(from, 3),
                        .block_time = from.optional_integer(4),
                        .block_index = from.optional_integer(5),
                        .first_seen = from.integer(6),
                        .sequence = from.integer(7),
                        .proof = from.blob(8),
                        .seen_at = from.integer(10),
                        .send_state = from.optional_integer(11),
                        .peers_accepted = from.optional_integer(12)});
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
  secret.format = checked_secret_format(from.integer(0));
  const util::ByteView data = from.blob(1);
  secret.data.assign(data.begin(), data.end());
  check(from, 2, checksum_of(secret), "secret");
  return secret;
}

}  // namespace spv::store
