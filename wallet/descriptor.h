// Output descriptors (BIP380-386, 389): text in, scripts out. Only public data: a descriptor never holds a
// private key after parsing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::wallet {

struct DescriptorError {
  std::string message;  // what is wrong and what to do
};

/// One descriptor with at most one wildcard; a value that shares its immutable parse.
class Descriptor {
 public:
  /// Parses with or without checksum; `<0;1>` gives one descriptor for each alternative, in order.
  static util::Expected<std::vector<Descriptor>, DescriptorError> parse(std::string_view text,
                                                                        const chain::NetworkParams& params);

  /// The canonical form with its checksum.
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] bool is_ranged() const;
  /// The scriptPubKey at `index` (0 for one without wildcard); index < 2^31. Nothing for the one index in 2^127
  /// whose key does not exist.
  [[nodiscard]] std::optional<util::Bytes> script_at(std::uint32_t index) const;
  /// Visits the scripts from index `first` to `end` - 1; one that does not exist is empty. Thousands of them take half
  /// the time of as many calls of script_at().
  void each_script(std::uint32_t first, std::uint32_t end, const std::function<void(util::ByteView)>& visit) const;
  /// "m/84'/1'/0'/0/5" from the key's origin; empty where there is none.
  [[nodiscard]] std::string path_at(std::uint32_t index) const;

  /// The path of the first key's origin, from the master key to the key that is printed; nothing without an origin.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> origin_path() const;

  struct Node;  // the parse; see descriptor_node.h
  explicit Descriptor(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  [[nodiscard]] const Node& node() const { return *node_; }

 private:
  std::shared_ptr<const Node> node_;
};

/// The eight characters of BIP380 for a descriptor without '#'; empty if a character is not of its alphabet.
std::string descriptor_checksum(std::string_view text);

}  // namespace spv::wallet
