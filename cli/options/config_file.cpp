#include "cli/options/config_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>

#include "chain/params.h"
#include "cli/error.h"
#include "store/file_descriptor.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxConfigBytes = 1U << 20U;
constexpr std::string_view kSpaces = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// A '#' begins a comment at the start of a line or after a space, so the one before a descriptor's checksum does not.
std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || kSpaces.find(line[i - 1]) != std::string_view::npos)) return line.substr(0, i);
  }
  return line;
}

std::string section_name(std::string_view line, const std::string& where) {
  std::string name(line.substr(1, line.size() - 2));
  if (name == "test") return "testnet";  // as in bitcoin.conf
  if (!line.ends_with(']') || !chain::parse_network(name)) {
    throw UsageError(where + ": unknown section '" + std::string(line) +
                     "'; use [main], [testnet], [testnet4], [signet] or [regtest]");
  }
  return name;
}

ConfigEntry entry(std::string_view line, const std::string& section, const std::string& where) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw UsageError(where + ": '" + std::string(line) +
                     "' is not NAME=VALUE; use NAME=1 for an option without a value");
  }
  std::string_view name = trimmed(line.substr(0, equals));
  while (name.starts_with('-')) name.remove_prefix(1);  // written as on the command line
  return {section, std::string(name), std::string(trimmed(line.substr(equals + 1))), where};
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw UsageError("cannot read config file '" + path.string() + "': " + why);
}

std::optional<std::string> read_text(const std::filesystem::path& path, bool must_exist) {
  const store::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() && !must_exist && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file.valid()) refuse(path, std::strerror(errno));
  auto text = store::read_up_to<std::string>(file.get(), kMaxConfigBytes);
  if (!text) refuse(path, std::strerror(text.error()));
  if (text->size() > kMaxConfigBytes) refuse(path, "larger than 1 MiB");
  return std::move(*text);
}

}  // namespace

std::vector<ConfigEntry> parse_config(std::string_view text, const std::string& path) {
  std::vector<ConfigEntry> entries;
  std::string section;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::string where = path + ":" + std::to_string(line_number);
    line = trimmed(without_comment(line));
    if (line.empty()) continue;
    if (line.starts_with('[')) {
      section = section_name(line, where);
    } else {
      entries.push_back(entry(line, section, where));
    }
  }
  return entries;
}

std::vector<ConfigEntry> read_config(const std::filesystem::path& path, bool named_by_user) {
  const auto text = read_text(path, named_by_user);
  return text ? parse_config(*text, path.string()) : std::vector<ConfigEntry>();
}

}  // namespace spv::cli
