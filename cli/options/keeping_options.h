// What was asked of the commands that keep wallets in order; part of cli/options/options.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace spv::cli {

struct LabelOptions {
  std::string what;                 // txid, address or outpoint
  std::optional<std::string> text;  // none: show it; empty: remove it
};
struct LabelsOptions {
  bool import = false;
  std::string file;  // "-": stdin or stdout
};
struct FreezeOptions {
  bool freeze = true;    // else unfreeze
  std::string outpoint;  // TXID:VOUT
};
struct AbandonOptions {
  std::string txid;
};
struct RenameOptions {
  std::string name;
};
struct DeleteOptions {
  bool yes = false;
};
struct BackupOptions {
  std::string file;
};
struct ExportOptions {
  std::string file;
};
struct ImportOptions {
  std::string file;
};
struct SetOptions {
  std::optional<std::uint32_t> gap_limit;
};

}  // namespace spv::cli
