#include "cli/output/new_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "cli/error.h"
#include "store/file_descriptor.h"

namespace spv::cli {

void write_new_file(const std::string& path, util::ByteView content, const std::string& code) {
  const auto fail = [&](const std::string& why) {
    throw CommandError(ExitCode::Failed, code, "cannot write '" + path + "': " + why);
  };
  const store::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.valid() && errno == EEXIST) fail("it already exists; choose another name");
  if (!file.valid()) fail(std::strerror(errno));
  const int error = store::write_all(file.get(), content);
  if (error == 0) return;
  ::unlink(path.c_str());
  fail(std::strerror(error));
}

}  // namespace spv::cli
