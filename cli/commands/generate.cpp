// `spv generate`: the man page and the completions; for packagers, not in --help.
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/options/version.h"
#include "cli/output/completions.h"
#include "cli/output/man_page.h"

namespace spv::cli {

ExitCode run(const CommonOptions&, const GenerateOptions& options) {
  const CommandInfo program = describe_program();
  fmt::print("{}", options.what == "man"    ? man_page(program, version_number())
                   : options.what == "bash" ? bash_completion(program)
                   : options.what == "zsh"  ? zsh_completion(program)
                                            : fish_completion(program));
  return ExitCode::Done;
}

}  // namespace spv::cli
