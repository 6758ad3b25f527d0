#include "p2p/field_element.h"

#include "util/ensure.h"

namespace spv::p2p {
namespace {

struct FreeContext {
  void operator()(BN_CTX* context) const { BN_CTX_free(context); }
};

// p, what follows from it and scratch space. Made anew for an operation: a handshake needs some hundred of them, and
// the core has no static state.
struct Field {
  BIGNUM* prime = nullptr;
  BIGNUM* exponent = nullptr;
  std::unique_ptr<BN_CTX, FreeContext> context{BN_CTX_new()};

  Field() {
    util::ensure(context != nullptr, "out of memory");
    BN_CTX_start(context.get());
    prime = BN_CTX_get(context.get());
    exponent = BN_CTX_get(context.get());
    util::ensure(exponent != nullptr, "out of memory");
    check(BN_set_bit(prime, 256));  // p = 2^256 - 2^32 - 977
    check(BN_sub_word(prime, 0x1'0000'0000));
    check(BN_sub_word(prime, 977));
  }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;
  ~Field() { BN_CTX_end(context.get()); }

  static void check(int ok) { util::ensure(ok == 1, "field arithmetic failed"); }
};

}  // namespace

FieldElement::FieldElement() : value_(BN_new()) { util::ensure(value_ != nullptr, "out of memory"); }

FieldElement::FieldElement(int value) : FieldElement() {
  util::ensure(value >= 0, "a small number is not negative");
  Field::check(BN_set_word(value_.get(), static_cast<BN_ULONG>(value)));
}

FieldElement FieldElement::from_bytes(const std::uint8_t* bytes) {
  const Field field;
  FieldElement out;
  util::ensure(BN_bin2bn(bytes, 32, out.value_.get()) != nullptr, "out of memory");
  Field::check(BN_nnmod(out.value_.get(), out.value_.get(), field.prime, field.context.get()));
  return out;
}

FieldElement::FieldElement(const FieldElement& other) : value_(BN_dup(other.value_.get())) {
  util::ensure(value_ != nullptr, "out of memory");
}

FieldElement& FieldElement::operator=(const FieldElement& other) {
  util::ensure(BN_copy(value_.get(), other.value_.get()) != nullptr, "out of memory");
  return *this;
}

FieldElement operator+(const FieldElement& a, const FieldElement& b) {
  const Field field;
  FieldElement out;
  Field::check(BN_mod_add(out.value_.get(), a.value_.get(), b.value_.get(), field.prime, field.context.get()));
  return out;
}

FieldElement operator-(const FieldElement& a, const FieldElement& b) {
  const Field field;
  FieldElement out;
  Field::check(BN_mod_sub(out.value_.get(), a.value_.get(), b.value_.get(), field.prime, field.context.get()));
  return out;
}

FieldElement operator*(const FieldElement& a, const FieldElement& b) {
  const Field field;
  FieldElement out;
  Field::check(BN_mod_mul(out.value_.get(), a.value_.get(), b.value_.get(), field.prime, field.context.get()));
  return out;
}

FieldElement operator/(const FieldElement& a, const FieldElement& b) {
  const Field field;
  FieldElement inverse;
  util::ensure(BN_copy(field.exponent, field.prime) != nullptr, "out of memory");
  Field::check(BN_sub_word(field.exponent, 2));
  Field::check(BN_mod_exp(inverse.value_.get(), b.value_.get(), field.exponent, field.prime, field.context.get()));
  return a * inverse;
}

bool FieldElement::is_square() const {
  const Field field;
  const int symbol = BN_kronecker(value_.get(), field.prime, field.context.get());
  util::ensure(symbol >= -1, "field arithmetic failed");
  return symbol >= 0;
}

std::optional<FieldElement> FieldElement::square_root() const {
  const Field field;
  FieldElement root;
  util::ensure(BN_copy(field.exponent, field.prime) != nullptr, "out of memory");
  Field::check(BN_add_word(field.exponent, 1));  // p mod 4 = 3, so a^((p+1)/4) is a root if there is one
  Field::check(BN_rshift(field.exponent, field.exponent, 2));
  Field::check(BN_mod_exp(root.value_.get(), value_.get(), field.exponent, field.prime, field.context.get()));
  const FieldElement square = root * root;
  if (BN_cmp(square.value_.get(), value_.get()) != 0) return std::nullopt;
  return root;
}

std::array<std::uint8_t, 32> FieldElement::bytes() const {
  std::array<std::uint8_t, 32> out{};
  util::ensure(BN_bn2binpad(value_.get(), out.data(), static_cast<int>(out.size())) == 32, "field element too large");
  return out;
}

}  // namespace spv::p2p
