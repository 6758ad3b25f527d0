// A clock that is wrong: loaded before a program (LD_PRELOAD), it shifts the time of day by $SPV_TEST_CLOCK_SHIFT
// seconds and leaves the clocks that only run alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real(clock, now);
  const char* shift = getenv("SPV_TEST_CLOCK_SHIFT");
  if (result == 0 && clock == CLOCK_REALTIME && shift != NULL) now->tv_sec += atol(shift);
  return result;
}
