#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <boost/json.hpp>
#include <openssl/crypto.h>

#include "cli/commands/commands.h"
#include "cli/error.h"
#include "cli/options/options.h"
#include "cli/output/stdout_file.h"
#include "cli/output/text.h"
#include "store/store_error.h"

namespace {

using spv::cli::CommandError;
using spv::cli::ExitCode;

// A core file would hold the keys.
void forbid_core_dumps() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0);
}

// Keeps keys out of the swap, as far as the system's limit allows: those of variable length live in a heap of their
// own (util/secret.h), those of fixed length on the stack below here.
void lock_memory_of_secrets() {
  constexpr std::size_t kHeapBytes = 65'536;
  constexpr std::size_t kStackBytes = 262'144;
  CRYPTO_secure_malloc_init(kHeapBytes, 32);
  std::array<char, kStackBytes> below;          // NOLINT(cppcoreguidelines-pro-type-member-init): its place counts
  OPENSSL_cleanse(below.data(), below.size());  // so that its pages are there
  static_cast<void>(mlock(below.data(), below.size()));
}

// OpenSSL sets itself up at its first use, and crashes there if memory runs out: here the error can be reported.
void set_up_openssl() {
  if (OSSL_LIB_CTX_get0_global_default() == nullptr) throw std::bad_alloc();
}

// How to report an error in the arguments themselves.
bool seems_to_want_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (argument == "--") break;
    if (argument == "--json" || argument == "-json") return true;
  }
  const char* setting = std::getenv("SPV_JSON");
  return setting != nullptr && (std::string_view(setting) == "1" || std::string_view(setting) == "true");
}

// "disk full": "disk-full"
std::string code_of(spv::store::StoreError::Kind kind) {
  std::string code(to_string(kind));
  for (char& c : code) {
    if (c == ' ' || c == '/') c = '-';
  }
  return code;
}

int fail(bool json, ExitCode exit_code, const std::string& code, const std::string& message) {
  if (json) {
    const boost::json::value document{{"error", {{"code", code}, {"message", spv::cli::to_utf8(message)}}}};
    std::fprintf(stderr, "%s\n", boost::json::serialize(document).c_str());
  } else {
    std::fprintf(stderr, "error: %s\n", spv::cli::to_line(message).c_str());
  }
  return static_cast<int>(exit_code);
}

int finish_output(ExitCode code) {
  spv::cli::flush_stdout();
  return static_cast<int>(code);
}

int run(int argc, char** argv, bool& json) {
  const auto parsed = spv::cli::parse_arguments(argc, argv);
  if (const auto* information = std::get_if<spv::cli::Information>(&parsed)) {
    std::fputs(information->text.c_str(), stdout);
    return finish_output(ExitCode::Done);
  }
  const auto& invocation = std::get<spv::cli::Invocation>(parsed);
  json = json || invocation.common.json;
  const ExitCode code =
      std::visit([&](const auto& options) { return spv::cli::run(invocation.common, options); }, invocation.command);
  return finish_output(code);
}

}  // namespace

int main(int argc, char** argv) {
  spv::cli::reserve_standard_descriptors();
  forbid_core_dumps();
  lock_memory_of_secrets();
  bool json = seems_to_want_json(argc, argv);
  try {
    set_up_openssl();
    return run(argc, argv, json);
  } catch (const CommandError& error) {
    return fail(json, error.exit_code(), error.code(), error.what());
  } catch (const spv::store::StoreError& error) {
    // open_wallet() reports a missing wallet itself; anything else that is missing is not a wallet.
    using Kind = spv::store::StoreError::Kind;
    const bool wallet = error.kind() == Kind::Locked || error.kind() == Kind::Moved;
    return fail(json, wallet ? ExitCode::Wallet : ExitCode::Failed, code_of(error.kind()), error.what());
  } catch (const std::exception& error) {
    return fail(json, ExitCode::Failed, "failed", error.what());
  }
}
