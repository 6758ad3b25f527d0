#include "serve/api/requests.h"

#include <algorithm>
#include <array>
#include <limits>

#include "store/store.h"

namespace spv::serve {
namespace {

constexpr std::int64_t kMaxGapLimit = 1'000;
constexpr std::int64_t kMaxHeight = std::numeric_limits<chain::Height>::max();

/// Reads the body and hands its fields on.
template <typename T>
Parsed<T> read_fields(std::string_view body, void (*read)(FieldReader& fields, T& out)) {
  const auto object = parse_body(body);
  if (!object) return util::Unexpected{object.error()};
  FieldReader fields(*object);
  T out;
  read(fields, out);
  return fields.result(std::move(out));
}

bool looks_like_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  return std::ranges::equal(text, kForm,
                            [](char c, char form) { return form == 'd' ? c >= '0' && c <= '9' : c == form; });
}

std::optional<std::string> read_birthday(FieldReader& fields) {
  const auto* value = fields.any_if("birthday");
  if (value == nullptr) return std::nullopt;
  if (value->is_int64() && value->get_int64() >= 0 && value->get_int64() <= kMaxHeight) {
    return std::to_string(value->get_int64());
  }
  if (value->is_string() && looks_like_date(value->get_string())) return std::string(value->get_string());
  fields.fail("birthday must be a block height (840000) or a date (\"2024-04-20\")");
  return std::nullopt;
}

void read_new_wallet(FieldReader& fields, NewWalletRequest& out) {
  out.name = fields.text("name");
  out.descriptors = fields.texts_if("descriptors");
  out.xpub = fields.text_if("xpub");
  out.script = fields.text_if("script");
  out.addresses = fields.texts_if("addresses");
  out.birthday = read_birthday(fields);
  if (const auto limit = fields.integer_if("gap_limit", 1, kMaxGapLimit)) {
    out.gap_limit = static_cast<std::uint32_t>(*limit);
  }
  if (!store::is_wallet_name(out.name)) {
    fields.fail("name must be at most 64 letters, digits, '.', '_' and '-', beginning with a letter, digit or '_'");
  }
  if (fields.has("descriptors") + fields.has("xpub") + fields.has("addresses") != 1) {
    fields.fail("give exactly one of descriptors, xpub and addresses");
  }
  constexpr std::array<std::string_view, 5> kScripts{"pkh", "sh-wpkh", "wpkh", "tr", "all"};
  if (out.script && !out.xpub) fields.fail("script goes with an xpub; a descriptor has its own");
  if (out.script && std::ranges::find(kScripts, *out.script) == kScripts.end()) {
    fields.fail("script must be pkh, sh-wpkh, wpkh, tr or all");
  }
}

void read_new_address(FieldReader& fields, NewAddressRequest& out) {
  out.change = fields.flag("change", false);
  out.label = fields.text_if("label");
}

void read_label(FieldReader& fields, LabelRequest& out) {
  using wallet::LabelKind;
  const auto type = wallet::parse_label_kind(fields.text("type"));
  out.ref = fields.text("ref");
  out.label = fields.text_if("label").value_or("");
  if (type != LabelKind::Tx && type != LabelKind::Address && type != LabelKind::Output) {
    fields.fail("type must be tx, addr or output");
  }
  out.kind = type.value_or(LabelKind::Tx);
}

void read_rescan(FieldReader& fields, RescanRequest& out) {
  out.from = static_cast<chain::Height>(fields.integer("from", 0, kMaxHeight));
}

void read_outputs(FieldReader& fields, PsbtRequest& out) {
  const auto list = fields.objects("outputs");
  for (std::size_t i = 0; i < list.size(); ++i) {
    FieldReader each(*list[i], "outputs[" + std::to_string(i) + "].");
    PsbtRequest::Output output{.address = each.text("address"),
                               .amount = each.integer("amount_sat", 0, chain::kMaxMoney)};
    auto read = each.result(std::move(output));
    if (!read) return fields.fail(read.error().message);
    out.outputs.push_back(std::move(*read));
  }
}

void read_psbt(FieldReader& fields, PsbtRequest& out) {
  read_outputs(fields, out);
  out.fee_rate = fields.thousandths_if("fee_rate");
  out.subtract_fee = fields.flag("subtract_fee", false);
  for (const auto& text : fields.texts_if("coins")) {
    const auto coin = wallet::parse_outpoint(text);
    if (!coin) return fields.fail("coins: " + in_quotes(text) + " is not a coin; use TXID:VOUT");
    out.coins.push_back(*coin);
  }
}

void read_broadcast(FieldReader& fields, BroadcastRequest& out) {
  const auto hex = fields.text_if("hex");
  const auto psbt = fields.text_if("psbt");
  if (fields.has("hex") == fields.has("psbt")) return fields.fail("give either hex or psbt");
  out.is_psbt = psbt.has_value();
  out.text = hex ? *hex : psbt.value_or("");
}

}  // namespace

Parsed<NewWalletRequest> parse_new_wallet(std::string_view body) { return read_fields(body, read_new_wallet); }

Parsed<NewAddressRequest> parse_new_address(std::string_view body) {
  return read_fields(body.empty() ? std::string_view("{}") : body, read_new_address);
}

Parsed<LabelRequest> parse_label(std::string_view body) { return read_fields(body, read_label); }

Parsed<RescanRequest> parse_rescan(std::string_view body) { return read_fields(body, read_rescan); }

Parsed<PsbtRequest> parse_psbt_request(std::string_view body) { return read_fields(body, read_psbt); }

Parsed<BroadcastRequest> parse_broadcast(std::string_view body) { return read_fields(body, read_broadcast); }

}  // namespace spv::serve
