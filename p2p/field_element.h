// Arithmetic in secp256k1's field by OpenSSL's BIGNUM, for public values only: none of it is constant-time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <openssl/bn.h>

namespace spv::p2p {

class FieldElement {
 public:
  /// A small number.
  FieldElement(int value);  // NOLINT(google-explicit-constructor): so that formulas read as in the BIP
  /// 32 bytes big-endian, reduced modulo p.
  static FieldElement from_bytes(const std::uint8_t* bytes);
  FieldElement(const FieldElement& other);
  FieldElement& operator=(const FieldElement& other);
  FieldElement(FieldElement&&) noexcept = default;
  FieldElement& operator=(FieldElement&&) noexcept = default;
  ~FieldElement() = default;

  friend FieldElement operator+(const FieldElement& a, const FieldElement& b);
  friend FieldElement operator-(const FieldElement& a, const FieldElement& b);
  friend FieldElement operator*(const FieldElement& a, const FieldElement& b);
  /// By Fermat's rule, so that a divisor of zero gives zero.
  friend FieldElement operator/(const FieldElement& a, const FieldElement& b);
  FieldElement operator-() const { return FieldElement(0) - *this; }

  [[nodiscard]] bool is_zero() const { return BN_is_zero(value_.get()) == 1; }
  [[nodiscard]] bool is_square() const;
  /// The root that is a square itself.
  [[nodiscard]] std::optional<FieldElement> square_root() const;
  [[nodiscard]] std::array<std::uint8_t, 32> bytes() const;

 private:
  struct Free {
    void operator()(BIGNUM* number) const { BN_free(number); }
  };
  FieldElement();
  std::unique_ptr<BIGNUM, Free> value_;
};

}  // namespace spv::p2p
