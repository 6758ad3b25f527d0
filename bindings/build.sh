#!/usr/bin/env bash
# Makes the packages of the bindings around a library: a wheel, an npm package, a jar. Leaves out what has no toolchain,
# and says so.
#
# usage: build.sh LIBRARY FOLDER
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
library=$1 out=$2
mkdir -p -- "$out"
out=$(cd -- "$out" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
has() { command -v "$1" >/dev/null; }

strip --strip-unneeded -o "$work/libspv.so.0" "$library"
version=$(sed -nE 's/^project\(spv VERSION ([0-9.]+) .*/\1/p' "$here/../CMakeLists.txt")
rm -f -- "$out"/libspv-*

"$here/python/make_wheel.py" "$work/libspv.so.0" "$version" "$out"

if has node && has npm; then
  package=$work/node
  mkdir -- "$package"
  cp -- "$here"/node/{index.js,index.d.ts,enums.js,errors.js,libspv_node.c,build.sh,README.md} "$here/../LICENSE" "$package"
  sed "s/\"version\": \"[^\"]*\"/\"version\": \"$version\"/" "$here/node/package.json" >"$package/package.json"
  prebuilds=$package/prebuilds/$(node -p 'process.platform + "-" + process.arch')
  "$package/build.sh" "$prebuilds" "$work/libspv.so.0" "$here/../include"
  cp -- "$work/libspv.so.0" "$prebuilds"
  (cd -- "$package" && npm pack --silent --ignore-scripts --pack-destination "$out" >/dev/null)
  echo "$out/libspv-$version.tgz"
else
  echo "no node and npm: the npm package is not built"
fi

jna=/usr/share/java/jna.jar
if has javac && has jar && [[ -f $jna ]]; then
  classes=$work/classes
  # As JNA calls the machine.
  case $(uname -m) in
    x86_64) machine=linux-x86-64 ;;
    aarch64) machine=linux-aarch64 ;;
    *) machine=linux-$(uname -m) ;;
  esac
  mkdir -p -- "$classes/$machine" "$classes/META-INF"
  javac -Xlint:all -Werror --release 17 -cp "$jna" -d "$classes" "$here"/java/src/org/spv/*.java
  javadoc -quiet -Xdoclint:all,-missing -Werror -cp "$jna" -d "$work/javadoc" "$here"/java/src/org/spv/*.java >/dev/null
  cp -- "$work/libspv.so.0" "$classes/$machine/libspv.so"
  cp -- "$here/../LICENSE" "$classes/META-INF"
  (cd -- "$classes" && jar --create --date=1980-01-01T00:00:02Z --file "$out/libspv-$version.jar" META-INF org "$machine")
  (cd -- "$work/javadoc" && jar --create --date=1980-01-01T00:00:02Z --file "$out/libspv-javadoc-$version.zip" .)
  echo "$out/libspv-$version.jar"
else
  echo "no JDK and libjna-java: the jar is not built"
fi
