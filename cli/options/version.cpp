#include "cli/options/version.h"

#include <qrencode.h>

#include <boost/json.hpp>
#include <boost/version.hpp>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <utf8proc.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace spv::cli {
namespace {

#ifdef SPV_HAVE_SECP256K1_ELLSWIFT
constexpr const char* kEllSwift = "libsecp256k1";
#else
constexpr const char* kEllSwift = "field arithmetic of our own";
#endif

/// Whether the processor has instructions for SHA-256; OpenSSL uses them if so.
bool has_sha_instructions() {
#ifdef __x86_64__
  constexpr unsigned kShaBit = 1U << 29U;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & kShaBit) != 0;
#else
  return false;
#endif
}

std::string boost_version() {
  return fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
}

boost::json::object libraries() {
  return {{"boost", boost_version()},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
          {"qrencode", QRcode_APIVersionString()},
          {"secp256k1", SPV_SECP256K1_VERSION},
          {"sqlite", sqlite3_libversion()},
          {"utf8proc", utf8proc_version()}};
}

}  // namespace

std::string version_number() { return SPV_VERSION; }

std::string version_text() {
  std::string out = "spv " + version_number() + "\n\nlibraries:";
  for (const auto& [name, version] : libraries()) {
    out += fmt::format(" {} {}", std::string_view(name), std::string_view(version.as_string()));
  }
  out += fmt::format("\nencrypted transport (BIP324): ElligatorSwift by {}, ChaCha20-Poly1305 by OpenSSL", kEllSwift);
  out += std::string("\nSHA-256: OpenSSL, ") +
         (has_sha_instructions() ? "with SHA instructions of the processor" : "without SHA instructions");
  return out + "\nnetworks: main, testnet, testnet4, signet, regtest\n";
}

std::string version_json() {
  const boost::json::value document{
      {"version", version_number()},
      {"libraries", libraries()},
      {"features", {{"v2_transport", kEllSwift}, {"sha_instructions", has_sha_instructions()}, {"spending", true}}}};
  return boost::json::serialize(document) + "\n";
}

}  // namespace spv::cli
