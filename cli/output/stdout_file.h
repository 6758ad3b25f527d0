// What must hold of the standard descriptors: open when the program starts, and written to the end.
#pragma once

#include <string>

namespace spv::cli {

/// Opens /dev/null in place of a standard descriptor that is closed, so that no file of ours is taken for the output.
/// It cannot be written to (read from, for stdin): whoever tries has his error.
void reserve_standard_descriptors();
/// Writes what waits for stdout; throws CommandError if not all that was printed is written.
void flush_stdout();
/// A line on stderr that nothing depends on: where it cannot be written, the command goes on.
void print_note(const std::string& text);

}  // namespace spv::cli
