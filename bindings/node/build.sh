#!/bin/sh
# Builds the native module; needs a C compiler, Node's headers (nodejs of NodeSource, libnode-dev, or next to the node
# binary) and libspv-dev. With LIBRARY the module uses that library, from the folder that it is in itself.
#
# usage: build.sh FOLDER [LIBRARY INCLUDE]
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd -P)
out=$1
prefix=$(node -p 'require("path").resolve(process.execPath, "../..")')
headers=
for each in "$prefix/include/node" /usr/include/node /usr/include/nodejs/src; do
  if [ -f "$each/node_api.h" ]; then
    headers=$each
    break
  fi
done
if [ -z "$headers" ]; then
  echo "build.sh: no node_api.h: install libnode-dev" >&2
  exit 1
fi
mkdir -p -- "$out"
set -- "${2:-}" "${3:-}"
if [ -n "$1" ]; then
  set -- -I"$2" "$1"
else
  # shellcheck disable=SC2046  # words
  set -- $(pkg-config --cflags --libs spv)
fi
# shellcheck disable=SC2016  # for the loader
${CC:-cc} -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -I"$headers" "$here/libspv_node.c" "$@" \
  -Wl,-rpath,'$ORIGIN' -Wl,-z,now -o "$out/libspv.node"
