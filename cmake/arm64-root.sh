#!/bin/sh
# cmake/arm64-root.sh DIR - fills DIR/root with Debian's arm64 packages for a cross build and its specs.
#
# It asks the machine's package sources, with separate lists in DIR. So it needs no root, and changes
# no setting of the machine.
set -eu
[ $# = 1 ] || { echo 'usage: cmake/arm64-root.sh DIR' >&2; exit 2; }
packages='libc6 libgcc-s1 libstdc++6 libluajit2-5.1-2 libluajit2-5.1-dev libopenblas0-pthread
  libgfortran5 lua-filesystem lua-system lua-term libedit2 libbsd0 libmd0 libtinfo6'
mkdir -p "$1"
dir=$(cd "$1" && pwd -P)
rm -rf "$dir/root" "$dir/root.part"
mkdir -p "$dir/lists/partial" "$dir/archives/partial" "$dir/debs" "$dir/root.part"
: >"$dir/status"
cat >"$dir/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Dir::State "$dir";
Dir::State::Lists "$dir/lists";
Dir::State::Status "$dir/status";
Dir::Cache "$dir";
END
export APT_CONFIG="$dir/apt.conf"
apt-get -q update
# $packages holds several words.
# shellcheck disable=SC2086
(cd "$dir/debs" && rm -f -- *.deb && apt-get -q download $packages)
for deb in "$dir"/debs/*.deb; do dpkg -x "$deb" "$dir/root.part"; done
# The names that Debian's alternatives give when a package is installed.
(cd "$dir/root.part/usr/lib/aarch64-linux-gnu" && ln -s openblas-pthread/libopenblas.so.0 .)
mv "$dir/root.part" "$dir/root"
