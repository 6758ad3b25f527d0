// signing.cpp as SPV_WITH_SECRETS=OFF compiles it.
#define SPV_WITH_SECRETS 0
#include "client/signing.cpp"  // NOLINT(bugprone-suspicious-include)
