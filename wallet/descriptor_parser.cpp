// Descriptor::parse: the functions, where each may stand, and the limits that make a script spendable.
#include <algorithm>
#include <array>

#include "util/hex.h"
#include "wallet/address.h"
#include "wallet/descriptor_node.h"
#include "wallet/script.h"

namespace spv::wallet {
namespace {

using Node = Descriptor::Node;
using Function = Node::Function;
/// One parse for each multipath alternative.
using Nodes = std::vector<std::shared_ptr<const Node>>;
using Result = util::Expected<Nodes, DescriptorError>;

/// What encloses an expression.
enum class Place { Top, Sh, Wsh };

constexpr std::size_t kMaxTextLength = 65'536;
constexpr std::size_t kMaxRedeemScriptSize = 520;  // consensus: a push, so also a script under sh()
constexpr std::size_t kMaxBareMultisigKeys = 3;    // policy: beyond, nodes do not relay
constexpr std::size_t kMaxMultisigKeys = 20;       // consensus

util::Unexpected<DescriptorError> error(std::string message) {
  return util::Unexpected{DescriptorError{std::move(message)}};
}

std::string quoted(std::string_view name) { return "\"" + std::string(name.substr(0, 24)) + "\""; }

Nodes wrap(Node node) { return {std::make_shared<const Node>(std::move(node))}; }

std::string name_of(Place place) { return place == Place::Sh ? "sh()" : "wsh()"; }

class Parser {
 public:
  explicit Parser(const chain::NetworkParams& params) : params_(params) {}

  Result expression(std::string_view text, Place place) {
    const auto open = text.find('(');
    const std::string_view name = text.substr(0, open);
    const auto* function = std::ranges::find(kFunctions, name, &Entry::name);
    if (open == std::string_view::npos || function == kFunctions.end()) return unknown(name, open, place);
    if (!text.ends_with(')')) return error("the descriptor does not end with ')', or something follows it");
    if (!allowed(*function, place)) return error(std::string(name) + "() is not allowed inside " + name_of(place));
    const std::string_view arguments = text.substr(open + 1, text.size() - open - 2);
    return (this->*function->read)(arguments, *function, place);
  }

 private:
  struct Entry {
    std::string_view name;
    Function function;
    bool in_sh;
    bool in_wsh;
    Result (Parser::*read)(std::string_view, const Entry&, Place);
  };
  static const std::array<Entry, 10> kFunctions;

  static bool allowed(const Entry& entry, Place place) {
    return place == Place::Top || (place == Place::Sh ? entry.in_sh : entry.in_wsh);
  }

  static Result unknown(std::string_view name, std::size_t open, Place place) {
    if (name == "combo") {
      return error(
          "combo() is not supported: use separate descriptors with pk(), pkh(), wpkh() "
          "and sh(wpkh())");
    }
    if (open == std::string_view::npos && place != Place::Top) {
      return error("inside " + name_of(place) + " a function is needed, such as multi() or pk()");
    }
    return error(quoted(name) +
                 " is not a supported descriptor function: use pk, pkh, wpkh, tr, multi, sortedmulti, "
                 "sh, wsh, addr or raw (miniscript is not supported)");
  }

  Result single_key(std::string_view arguments, const Entry& entry, Place place) {
    if (entry.function == Function::Tr && arguments.find(',') != std::string_view::npos) {
      return error("tr() with a script tree is not supported: only the key path is, as in tr(KEY)");
    }
    const bool segwit = entry.function == Function::Wpkh || place == Place::Wsh;
    const auto forms = entry.function == Function::Tr ? KeyForms::XOnlyToo
                       : segwit                       ? KeyForms::CompressedOnly
                                                      : KeyForms::Any;
    auto keys = KeyExpression::parse(arguments, forms, params_);
    if (!keys && script_of_address(arguments, params_)) {
      return error(quoted(arguments) + " is an address, not a key: use addr(ADDRESS)");
    }
    if (!keys) return util::Unexpected{keys.error()};
    Nodes out;
    for (auto& key : *keys) {
      std::string text = std::string(entry.name) + '(' + key.to_string() + ')';
      const auto nodes = wrap({.function = entry.function, .text = std::move(text), .keys = {std::move(key)}});
      out.push_back(nodes[0]);
    }
    return out;
  }

  Result multisig(std::string_view arguments, const Entry& entry, Place place) {
    const auto comma = arguments.find(',');
    const auto threshold = small_number(arguments.substr(0, comma));
    if (!threshold) return error(quoted(arguments.substr(0, comma)) + " is not a number of signatures from 1 to 20");
    std::vector<std::vector<KeyExpression>> keys;
    while (!arguments.empty() && arguments.find(',') != std::string_view::npos) {
      arguments.remove_prefix(arguments.find(',') + 1);
      if (keys.size() == kMaxMultisigKeys) return error("a multisig has at most 20 keys");
      const auto forms = place == Place::Wsh ? KeyForms::CompressedOnly : KeyForms::Any;
      auto parsed = KeyExpression::parse(arguments.substr(0, arguments.find(',')), forms, params_);
      if (!parsed) return util::Unexpected{parsed.error()};
      keys.push_back(std::move(*parsed));
    }
    if (const auto fits = check_multisig(*threshold, keys, place); !fits) return util::Unexpected{fits.error()};
    return combine(*threshold, keys, entry);
  }

  static std::optional<std::size_t> small_number(std::string_view text) {
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (text.empty() || text.size() > 2 || !digits || text[0] == '0') return std::nullopt;
    const auto number = static_cast<std::size_t>(std::stoi(std::string(text)));
    if (number > kMaxMultisigKeys) return std::nullopt;
    return number;
  }

  static util::Expected<void, DescriptorError> check_multisig(std::size_t threshold,
                                                              const std::vector<std::vector<KeyExpression>>& keys,
                                                              Place place) {
    if (keys.empty()) return error("a multisig needs at least one key");
    if (threshold > keys.size()) {
      return error("the multisig requires " + std::to_string(threshold) + " signatures but has " +
                   std::to_string(keys.size()) + " keys");
    }
    if (place == Place::Top && keys.size() > kMaxBareMultisigKeys) {
      return error("a multisig outside sh() and wsh() has at most 3 keys, not " + std::to_string(keys.size()));
    }
    std::size_t size = 3;
    for (const auto& key : keys) size += 1 + key[0].byte_count();
    if (place == Place::Sh && size > kMaxRedeemScriptSize) {
      return error("the script under sh() has " + std::to_string(size) +
                   " bytes and could never be spent (at most "
                   "520): use wsh()");
    }
    return {};
  }

  /// Joins the alternatives of all keys: those with one alternative take part in each.
  static Result combine(std::size_t threshold, const std::vector<std::vector<KeyExpression>>& keys,
                        const Entry& entry) {
    std::size_t count = 1;
    for (const auto& key : keys) count = std::max(count, key.size());
    Nodes out;
    for (std::size_t i = 0; i < count; ++i) {
      Node node{.function = entry.function, .threshold = threshold};
      node.text = std::string(entry.name) + '(' + std::to_string(threshold);
      for (const auto& key : keys) {
        if (key.size() != 1 && key.size() != count) {
          return error("all multipath steps of a descriptor must have the same number of alternatives");
        }
        node.keys.push_back(key.size() == 1 ? key[0] : key[i]);
        node.text += ',' + node.keys.back().to_string();
      }
      node.text += ')';
      out.push_back(std::make_shared<const Node>(std::move(node)));
    }
    return out;
  }

  Result script_hash(std::string_view arguments, const Entry& entry, Place) {
    auto inner = expression(arguments, entry.function == Function::Sh ? Place::Sh : Place::Wsh);
    if (!inner) return inner;
    Nodes out;
    for (auto& node : *inner) {
      std::string text = std::string(entry.name) + '(' + node->text + ')';
      const auto nodes = wrap({.function = entry.function, .text = std::move(text), .inner = std::move(node)});
      out.push_back(nodes[0]);
    }
    return out;
  }

  Result address(std::string_view arguments, const Entry&, Place) {
    auto script = script_of_address(arguments, params_);
    if (!script) return error(script.error().message);
    const auto canonical = address_of_script(*script, params_);
    return wrap({.text = "addr(" + canonical.value_or(std::string(arguments)) + ')', .script = std::move(*script)});
  }

  Result raw(std::string_view arguments, const Entry&, Place) {
    auto script = util::from_hex(arguments);
    if (!script || script->empty()) return error("raw() takes a script in hex");
    if (script->size() > kMaxScriptSize) return error("the script in raw() is longer than 10,000 bytes");
    return wrap({.text = "raw(" + util::to_hex(*script) + ')', .script = std::move(*script)});
  }

  const chain::NetworkParams& params_;
};

const std::array<Parser::Entry, 10> Parser::kFunctions{{
    {"pk", Function::Pk, true, true, &Parser::single_key},
    {"pkh", Function::Pkh, true, true, &Parser::single_key},
    {"wpkh", Function::Wpkh, true, false, &Parser::single_key},
    {"tr", Function::Tr, false, false, &Parser::single_key},
    {"multi", Function::Multi, true, true, &Parser::multisig},
    {"sortedmulti", Function::SortedMulti, true, true, &Parser::multisig},
    {"sh", Function::Sh, false, false, &Parser::script_hash},
    {"wsh", Function::Wsh, true, false, &Parser::script_hash},
    {"addr", Function::Fixed, false, false, &Parser::address},
    {"raw", Function::Fixed, false, false, &Parser::raw},
}};

/// The text before '#', whose checksum, if there is one, is right.
util::Expected<std::string_view, DescriptorError> without_checksum(std::string_view text) {
  if (text.size() > kMaxTextLength) return error("the descriptor is too long");
  const auto hash = text.find('#');
  const std::string_view body = text.substr(0, hash);
  const std::string expected = descriptor_checksum(body);
  if (expected.empty()) return error("the descriptor contains an invalid character");
  if (hash == std::string_view::npos) return body;
  const std::string_view found = text.substr(hash + 1);
  if (found.find('#') != std::string_view::npos) return error("the descriptor contains more than one '#'");
  if (found.size() != expected.size()) {
    return error("a descriptor checksum has 8 characters, not " + std::to_string(found.size()));
  }
  if (found != expected) {
    return error("the descriptor checksum is " + quoted(found) + ", expected " + quoted(expected) +
                 ": the descriptor or its checksum was mistyped");
  }
  return body;
}

}  // namespace

util::Expected<std::vector<Descriptor>, DescriptorError> Descriptor::parse(std::string_view text,
                                                                           const chain::NetworkParams& params) {
  const auto body = without_checksum(text);
  if (!body) return util::Unexpected{body.error()};
  auto nodes = Parser(params).expression(*body, Place::Top);
  if (!nodes) return util::Unexpected{nodes.error()};
  std::vector<Descriptor> out;
  for (auto& node : *nodes) out.emplace_back(std::move(node));
  return out;
}

}  // namespace spv::wallet
