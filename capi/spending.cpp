// The C ABI of spending, over spv::Client.
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "capi/handles.h"

namespace {

using spv::Client;
using spv::ErrorCode;
using spv::Result;
using spv::capi::call;
using spv::capi::done;
using spv::capi::fail;
using spv::capi::give;
using spv::capi::give_text;
using spv::capi::is_half_given;
using spv::capi::missing;
using spv::capi::take;
using spv::capi::text_of;

spv::Error wrong_argument(const char* message) { return {ErrorCode::InvalidArgument, message}; }

Result<spv::PaymentOptions> payment_options_of(const spv_payment_options* options) {
  if (options == nullptr) return wrong_argument("a required argument is null");
  const auto given = take(options);
  if (!given) return given.error();
  if (given->reserved != 0) return wrong_argument("reserved must be 0");
  if ((given->recipients == nullptr && given->recipient_count != 0) ||
      (given->coins == nullptr && given->coin_count != 0)) {
    return wrong_argument("a list with a count must not be null");
  }
  spv::PaymentOptions out;
  for (std::size_t i = 0; i < given->recipient_count; ++i) {
    const spv_recipient& each = given->recipients[i];
    spv::Recipient recipient{text_of(each.address), each.amount};
    if (each.amount == SPV_AMOUNT_ALL) recipient.amount.reset();
    out.recipients.push_back(std::move(recipient));
  }
  for (std::size_t i = 0; i < given->coin_count; ++i) out.coins.push_back(text_of(given->coins[i]));
  out.fee_rate = given->fee_rate;
  out.change = text_of(given->change);
  out.subtract_fee = given->subtract_fee != 0;
  out.spend_unconfirmed = given->spend_unconfirmed != 0;
  out.allow_high_fee = given->allow_high_fee != 0;
  out.allow_low_fee = given->allow_low_fee != 0;
  out.psbt_version = given->psbt_version;
  return out;
}

/// One function of a signer as the library calls it; empty if it is null.
std::function<std::optional<std::vector<std::uint8_t>>(const spv::SignerKey&, const std::array<std::uint8_t, 32>&)>
function_of(spv_sign_function function, void* context) {
  if (function == nullptr) return {};
  return [function, context](const spv::SignerKey& key,
                             const std::array<std::uint8_t, 32>& digest) -> std::optional<std::vector<std::uint8_t>> {
    spv_signer_key own{};
    own.struct_size = sizeof own;
    own.public_key = key.public_key.data();
    own.public_key_size = key.public_key.size();
    own.path = key.path.data();
    own.path_size = key.path.size();
    own.has_origin = key.fingerprint ? 1 : 0;
    if (key.fingerprint) std::copy(key.fingerprint->begin(), key.fingerprint->end(), own.fingerprint);
    std::vector<std::uint8_t> signature(80);  // none is larger
    std::size_t size = signature.size();
    if (function(context, &own, digest.data(), signature.data(), &size) != 0 || size > signature.size()) return {};
    signature.resize(size);
    return signature;
  };
}

Result<spv::Signer> signer_of(const spv_signer* signer) {
  if (signer == nullptr) return wrong_argument("a required argument is null");
  const auto given = take(signer);
  if (!given) return given.error();
  return spv::Signer{function_of(given->ecdsa, given->context), function_of(given->schnorr, given->context)};
}

Result<spv::Secret> secret_of(const char* text, std::size_t size) {
  if (is_half_given(text, size)) return wrong_argument("a passphrase needs both a pointer and a size");
  return spv::Secret(text_of(text, size));
}

int give_payment(const spv_client* client, Result<spv::Payment> made, spv_payment** out) {
  if (!made) return fail(client, made.error());
  *out = new spv_payment{std::move(*made)};  // NOLINT: freed by spv_payment_free
  return SPV_OK;
}

int give_result(const spv_client* client, const Result<std::string>& made, char** out) {
  return made ? give_text(client, *made, out) : fail(client, made.error());
}

/// With what a payment is made by: a passphrase or a signer.
template <typename By, typename Make>
int pay(spv_client* client, const Result<By>& by, spv_payment** out, Make make) {
  return call(client, [&](Client& it) {
    if (out == nullptr) return missing(client);
    if (!by) return fail(client, by.error());
    return give_payment(client, make(it, *by), out);
  });
}

}  // namespace

int spv_payment_create(spv_client* client, const char* wallet, const spv_payment_options* options,
                       spv_payment** payment) {
  return pay(client, payment_options_of(options), payment,
             [&](Client& it, const spv::PaymentOptions& wanted) { return it.create_payment(text_of(wallet), wanted); });
}

int spv_payment_create_bump(spv_client* client, const char* wallet, const char* txid, std::int64_t fee_rate,
                            std::uint32_t psbt_version, spv_payment** payment) {
  return call(client, [&](Client& it) {
    if (payment == nullptr) return missing(client);
    return give_payment(client, it.create_bump(text_of(wallet), text_of(txid), fee_rate, psbt_version), payment);
  });
}

int spv_payment_send(spv_client* client, const char* wallet, const spv_payment_options* options, const char* passphrase,
                     std::size_t passphrase_size, spv_payment** payment) {
  const auto secret = secret_of(passphrase, passphrase_size);
  return pay(client, secret, payment, [&](Client& it, const spv::Secret& given) -> Result<spv::Payment> {
    const auto wanted = payment_options_of(options);
    if (!wanted) return wanted.error();
    return it.send(text_of(wallet), *wanted, given);
  });
}

int spv_payment_send_with(spv_client* client, const char* wallet, const spv_payment_options* options,
                          const spv_signer* signer, spv_payment** payment) {
  return pay(client, signer_of(signer), payment, [&](Client& it, const spv::Signer& given) -> Result<spv::Payment> {
    const auto wanted = payment_options_of(options);
    if (!wanted) return wanted.error();
    return it.send_with(text_of(wallet), *wanted, given);
  });
}

int spv_payment_bump(spv_client* client, const char* wallet, const char* txid, std::int64_t fee_rate,
                     const char* passphrase, std::size_t passphrase_size, spv_payment** payment) {
  const auto secret = secret_of(passphrase, passphrase_size);
  return pay(client, secret, payment, [&](Client& it, const spv::Secret& given) {
    return it.bump(text_of(wallet), text_of(txid), fee_rate, given);
  });
}

int spv_payment_bump_with(spv_client* client, const char* wallet, const char* txid, std::int64_t fee_rate,
                          const spv_signer* signer, spv_payment** payment) {
  return pay(client, signer_of(signer), payment, [&](Client& it, const spv::Signer& given) {
    return it.bump_with(text_of(wallet), text_of(txid), fee_rate, given);
  });
}

int spv_payment_cancel(spv_client* client, const char* wallet, const char* txid, std::int64_t fee_rate,
                       const char* passphrase, std::size_t passphrase_size, spv_payment** payment) {
  const auto secret = secret_of(passphrase, passphrase_size);
  return pay(client, secret, payment, [&](Client& it, const spv::Secret& given) {
    return it.cancel(text_of(wallet), text_of(txid), fee_rate, given);
  });
}

int spv_payment_abandon(spv_client* client, const char* wallet, const char* txid) {
  return call(client, [&](Client& it) { return done(client, it.abandon(text_of(wallet), text_of(txid))); });
}

int spv_payment_get(const spv_payment* payment, spv_payment_info* info) {
  if (payment == nullptr) return SPV_ERR_INVALID_ARGUMENT;
  const auto& from = payment->payment;
  const spv_payment_info own{0,        from.txid.c_str(), from.hex.c_str(),   from.psbt.c_str(),
                             from.fee, from.vsize,        from.inputs.size(), from.outputs.size()};
  return give(own, info) ? SPV_OK : SPV_ERR_INVALID_ARGUMENT;
}

int spv_payment_input_at(const spv_payment* payment, std::size_t index, spv_payment_input* input) {
  if (payment == nullptr) return SPV_ERR_INVALID_ARGUMENT;
  if (index >= payment->payment.inputs.size()) return SPV_ERR_NOT_FOUND;
  const auto& from = payment->payment.inputs[index];
  const spv_payment_input own{0, from.txid.c_str(), from.amount, from.vout, 0};
  return give(own, input) ? SPV_OK : SPV_ERR_INVALID_ARGUMENT;
}

int spv_payment_output_at(const spv_payment* payment, std::size_t index, spv_payment_output* output) {
  if (payment == nullptr) return SPV_ERR_INVALID_ARGUMENT;
  if (index >= payment->payment.outputs.size()) return SPV_ERR_NOT_FOUND;
  const auto& from = payment->payment.outputs[index];
  const spv_payment_output own{0, from.address.c_str(), from.amount, from.change ? 1 : 0, 0};
  return give(own, output) ? SPV_OK : SPV_ERR_INVALID_ARGUMENT;
}

void spv_payment_free(spv_payment* payment) { delete payment; }  // NOLINT: handed out by us

int spv_psbt_sign(spv_client* client, const char* wallet, const char* psbt, int allow_high_fee, const char* passphrase,
                  std::size_t passphrase_size, char** out) {
  return call(client, [&](Client& it) {
    if (out == nullptr) return missing(client);
    const auto secret = secret_of(passphrase, passphrase_size);
    if (!secret) return fail(client, secret.error());
    return give_result(client, it.sign_psbt(text_of(wallet), text_of(psbt), *secret, allow_high_fee != 0), out);
  });
}

int spv_psbt_sign_with(spv_client* client, const char* wallet, const char* psbt, int allow_high_fee,
                       const spv_signer* signer, char** out) {
  return call(client, [&](Client& it) {
    if (out == nullptr) return missing(client);
    const auto given = signer_of(signer);
    if (!given) return fail(client, given.error());
    return give_result(client, it.sign_psbt_with(text_of(wallet), text_of(psbt), *given, allow_high_fee != 0), out);
  });
}

int spv_psbt_combine(spv_client* client, const char* const* psbts, std::size_t count, char** out) {
  return call(client, [&](Client&) {
    if (out == nullptr || (psbts == nullptr && count != 0)) return missing(client);
    std::vector<std::string> texts;
    texts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) texts.push_back(text_of(psbts[i]));
    return give_result(client, spv::combine_psbts(texts), out);
  });
}

int spv_psbt_finalize(spv_client* client, const char* psbt, char** out) {
  return call(client, [&](Client&) {
    return out == nullptr ? missing(client) : give_result(client, spv::finalize_psbt(text_of(psbt)), out);
  });
}

int spv_psbt_extract(spv_client* client, const char* psbt, char** hex) {
  return call(client, [&](Client&) {
    return hex == nullptr ? missing(client) : give_result(client, spv::extract_transaction(text_of(psbt)), hex);
  });
}

int spv_broadcast(spv_client* client, const char* transaction, char** txid) {
  return call(client, [&](Client& it) {
    const auto sent = it.broadcast(text_of(transaction));
    if (sent && txid == nullptr) return static_cast<int>(SPV_OK);
    return give_result(client, sent, txid);
  });
}

int spv_request_fees(spv_client* client) {
  return call(client, [&](Client& it) { return done(client, it.request_fees()); });
}
