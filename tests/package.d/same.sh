#!/bin/bash
# same.sh SOURCE: builds the packages of SOURCE's commit in two directories: they must have the same bytes. For root,
# also installs and runs them in a bare root. Takes minutes: skipped (77) unless AGPU_TEST_LONG is set.
set -euo pipefail
source=${1:?source folder}
[ -n "${AGPU_TEST_LONG:-}" ] || { echo "skipped: it takes minutes; tests/check --long" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

for folder in one another/and/deeper; do
    git clone -q "$source" "$work/$folder"
    "$work/$folder/tests/package" --out "$work/$folder/packages" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2 && exit 1; }
done
diff "$work/one/packages/SHA256SUMS" "$work/another/and/deeper/packages/SHA256SUMS"
if [ "$(id -u)" -eq 0 ] && PATH=$PATH:/usr/sbin type -P debootstrap >/dev/null; then
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    PATH=$PATH:/usr/sbin debootstrap --variant=minbase "$codename" "$work/root" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2 && exit 1; }
    found=$("$source/tests/deps" --print-env)
    eval "$found"
    "$source/tests/package.d/bare.sh" "$work/root" "$work/one/packages" "$(dirname "$(dirname "$AGPU_QEMU")")"
else
    echo "not root, or no debootstrap: the packages were not tested in a bare root"
fi
