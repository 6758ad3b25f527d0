// Memory that runs out: loaded before a program (LD_PRELOAD), it lets the allocation of number $SPV_TEST_FAIL_MALLOC
// fail, and all that follow if $SPV_TEST_FAIL_FOREVER is set.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);

static atomic_long calls;
static long fail_at = -1;
static int forever;

__attribute__((constructor)) static void read_environment(void) {
  const char* number = getenv("SPV_TEST_FAIL_MALLOC");
  forever = getenv("SPV_TEST_FAIL_FOREVER") != NULL;
  calls = 0;
  fail_at = number == NULL ? -1 : atol(number);
}

static int fails(void) {
  const long call = ++calls;
  if (fail_at < 0 || call < fail_at || (call > fail_at && !forever)) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
