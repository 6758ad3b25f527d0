// key_expression.cpp as SPV_WITH_SECRETS=OFF compiles it.
#define SPV_WITH_SECRETS 0
#include "wallet/key_expression.cpp"  // NOLINT(bugprone-suspicious-include)
