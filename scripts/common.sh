# shellcheck shell=bash
# Shared by the scripts: the root of the tree, one line of output per step, building a preset. Sourced, not run.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
name=$(basename -- "$0")
jobs=${SPV_JOBS:-$(nproc 2>/dev/null || echo 2)}
# Tests spend more time waiting for nodes and clocks than computing.
# shellcheck disable=SC2034  # for those who source this
test_jobs=$((2 * jobs + 1))

say() { printf '%s: %s\n' "$name" "$*" >&2; }
die() {
  printf '%s: error: %s\n' "$name" "$*" >&2
  exit 1
}

# quietly WHAT COMMAND...: prints one line, completed when the command ends; shows its output only if it fails.
quietly() {
  local what=$1 log start=$SECONDS
  shift
  log=$(mktemp)
  printf '%s: %s ... ' "$name" "$what" >&2
  if "$@" >"$log" 2>&1 </dev/null; then
    rm -f -- "$log"
    printf 'ok (%d s)\n' "$((SECONDS - start))" >&2
    return 0
  fi
  printf 'FAILED (%d s)\n' "$((SECONDS - start))" >&2
  tail -n 200 -- "$log" >&2
  rm -f -- "$log"
  return 1
}

# build PRESET [TARGET...]: configures the preset if needed, and builds.
build() {
  local preset=$1
  shift
  if [[ ! -f $root/build/$preset/build.ninja ]]; then
    (cd -- "$root" && quietly "configure $preset" cmake --preset "$preset") || return 1
  fi
  quietly "build $preset" cmake --build "$root/build/$preset" -j "$jobs" ${1:+--target "$@"}
}

# Sets and exports BITCOIND; downloads one if there is none.
have_bitcoind() {
  local log
  log=$(mktemp)
  if ! BITCOIND=$("$root/scripts/get-bitcoind" 2>"$log"); then
    cat -- "$log" >&2
    rm -f -- "$log"
    return 1
  fi
  say "$(sed -n '$ s/^get-bitcoind: /bitcoind /p' "$log")"
  rm -f -- "$log"
  export BITCOIND
}
