// `spv generate`: the man page and the completions; for packagers, not in --help.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/completions.h"
#include "cli/man_page.h"
#include "cli/version.h"

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
