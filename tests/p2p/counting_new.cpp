#include "tests/p2p/counting_new.h"

#include <cstdlib>
#include <new>

namespace {

std::size_t total = 0;  // the tests have one thread

}  // namespace

std::size_t spv::p2p::test::bytes_allocated() { return total; }

void* operator new(std::size_t size) {
  total += size;
  if (void* const memory = std::malloc(size)) return memory;
  std::abort();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
