// The parse of a descriptor, shared by its parser, its printer and the one that finds how its scripts are spent; no one
// else includes this.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wallet/descriptor.h"
#include "wallet/key_expression.h"

namespace spv::wallet {

struct Descriptor::Node {
  enum class Function { Pk, Pkh, Wpkh, Tr, Multi, SortedMulti, Sh, Wsh, Fixed };

  Function function = Function::Fixed;
  std::string text{};                   // canonical, without checksum
  std::vector<KeyExpression> keys{};    // one, or those of a multisig in the order given
  std::size_t threshold = 0;            // of a multisig
  std::shared_ptr<const Node> inner{};  // of sh() and wsh()
  util::Bytes script{};                 // of addr() and raw()
};

}  // namespace spv::wallet
