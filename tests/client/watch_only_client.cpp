// client.cpp as SPV_WITH_SECRETS=OFF compiles it.
#define SPV_WITH_SECRETS 0
#define SPV_VERSION "0"
#include "client/client.cpp"  // NOLINT(bugprone-suspicious-include)
