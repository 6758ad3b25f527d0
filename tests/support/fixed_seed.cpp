// The random cases of a property (RapidCheck) are the same in every run, so that a test fails because of a change and
// not because of luck. RC_PARAMS="seed=..." chooses others; with SPV_LONG_TESTS=1 every run draws new ones and prints
// their seed. Part of every test program.
#include <cstdlib>

#include "tests/support/long_tests.h"

namespace spv::test {
namespace {

// RapidCheck reads it when the first property runs.
[[maybe_unused]] const int kFixedSeed = repeats(0, 1) == 1 ? 0 : setenv("RC_PARAMS", "seed=20090103", 0);

}  // namespace
}  // namespace spv::test
