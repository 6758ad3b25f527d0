#include "tests/support/failing_new.h"

#include <cstdlib>
#include <new>

namespace {

std::uint64_t fail_at = 0;  // 0: none
bool lasts = false;
bool failed = false;
std::uint64_t count = 0;

}  // namespace

namespace spv::test {

FailingNew::FailingNew(std::uint64_t allocation, bool lasting) {
  count = 0;
  failed = false;
  lasts = lasting;
  fail_at = allocation;
}
FailingNew::~FailingNew() { fail_at = 0; }
bool FailingNew::has_failed() { return failed; }

}  // namespace spv::test

void* operator new(std::size_t size) {
  ++count;
  const bool due = fail_at != 0 && (count == fail_at || (lasts && count > fail_at));
  if (!due) {
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  }
  failed = true;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
