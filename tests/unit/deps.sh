#!/bin/bash
# deps.sh ROOT: checks that tests/deps makes of a mirror, which this test creates and signs, and its list. SKIP (77)
# without gpg or apt.
set -euo pipefail
root=${1:?ROOT}
type -P gpg apt-get apt-config dpkg-deb >/dev/null || { echo "SKIP: no gpg or apt here" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GNUPGHOME=$work/gnupg AGPU_CACHE_DIR=$work/cache
mkdir -m 700 "$GNUPGHOME"
mkdir -p "$AGPU_CACHE_DIR"
me=deps.sh
# shellcheck source=tests/lib.sh
. "$root/tests/lib.sh"
for part in apt sbom; do
    # shellcheck source=/dev/null
    . "$root/tests/deps.d/$part.sh"
done

gpg --batch --quiet --passphrase '' --quick-generate-key 'Test <test@localhost>' default sign never 2>/dev/null ||
    { echo "SKIP: gpg makes no key here" && exit 77; }
gpg --batch --quiet --export >"$work/keyring.gpg"
agpu_keyring=$work/keyring.gpg

# release FOLDER SUITE DATE UNTIL: creates an empty, signed suite.
release() {
    local folder=$1/dists/$2
    mkdir -p "$folder/main/binary-amd64"
    : >"$folder/main/binary-amd64/Packages"
    {
        printf 'Origin: Test\nLabel: Debian\nSuite: %s\nCodename: %s\nDate: %s\n' "$2" "$2" "$3"
        [ -z "$4" ] || printf 'Valid-Until: %s\n' "$4"
        printf 'Architectures: amd64\nComponents: main\nSHA256:\n %s 0 main/binary-amd64/Packages\n' \
            "$(sha256sum "$folder/main/binary-amd64/Packages" | cut -d' ' -f1)"
    } >"$folder/Release"
    gpg --batch --yes --quiet --clearsign -o "$folder/InRelease" "$folder/Release" 2>/dev/null
}

failed=0
expect() { # YES-OR-NO WHAT FOLDER SUITE
    local found=yes
    apt_open "$work/apt" "deb [arch=amd64]" "file:$3" "$4" >"$work/log" 2>&1 || found=no
    if [ "$found" != "$1" ]; then
        echo "deps.sh: $2: expected that it is believed: $1, found $found:"
        tail -n 5 "$work/log"
        failed=1
    fi
}
# The deb822 form names only the type.
apt_sources() {
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nArchitectures: amd64\nSigned-By: %s\n' "$3" "$4" "$agpu_keyring"
}
# A machine whose own apt does not check dates.
printf 'Acquire::Check-Valid-Until "false";\nAcquire::Check-Date "false";\n' >"$work/lax.conf"
export APT_CONFIG=$work/lax.conf

now=$(date -Ru) old=$(date -Ru -d '30 days ago') past=$(date -Ru -d '2 days ago') later=$(date -Ru -d '30 days')
release "$work/good" some "$now" "$later"
release "$work/expired" some "$old" "$past"
release "$work/early" some "$later" ""
release "$work/unsigned" some "$now" "$later"
rm "$work/unsigned/dists/some/InRelease"
expect yes "a release of today" "$work/good" some
expect no "a release that expired" "$work/expired" some
grep -q 'is expired' "$work/log" || { echo "deps.sh: not said that it expired" && failed=1; }
expect no "a release of next month" "$work/early" some
expect no "a release without a signature" "$work/unsigned" some
AGPU_APT_EXPIRED=1 expect yes "a release that expired, and is meant" "$work/expired" some
AGPU_APT_EXPIRED=1 expect no "one without a signature, whatever is meant" "$work/unsigned" some

# The security archive is used if it exists, otherwise reported as missing.
apt_security_mirrors() {
    echo "file:$work/nowhere"
    echo "file:$work/security"
}
release "$work/good" trixie "$now" ""
release "$work/security" trixie-security "$now" "$later"
expect yes "trixie with its security archive" "$work/good" trixie
[ "$(apt_warn "$work/apt" 2>&1)" = "" ] || { echo "deps.sh: a security archive that is there is missed" && failed=1; }
rm -r "$work/security"
expect yes "trixie without it" "$work/good" trixie
[[ $(apt_warn "$work/apt" 2>&1) == *"no mirror here has trixie-security"* ]] ||
    { echo "deps.sh: not said that there is no security archive" && failed=1; }
unset APT_CONFIG

# The list: a package, and valid JSON.
mkdir -p "$work/package/DEBIAN" "$AGPU_CACHE_DIR/qemu"
printf 'Package: a-package\nVersion: 1:2.3"4-5\nArchitecture: all\nMaintainer: x\nDescription: x\n' >"$work/package/DEBIAN/control"
sed -i 's/"//' "$work/package/DEBIAN/control"
dpkg-deb --build "$work/package" "$work/a-package.deb" >/dev/null
sbom_note "$AGPU_CACHE_DIR/qemu" "$work/a-package.deb"
sbom_print >"$work/sbom.json"
for words in '"bomFormat": "CycloneDX"' '"name": "a-package", "version": "1:2.34-5"' "$(sha256sum "$work/a-package.deb" | cut -d' ' -f1)"; do
    grep -qF "$words" "$work/sbom.json" || { echo "deps.sh: expected $words in the list, found none" && failed=1; }
done
! type -P python3 >/dev/null || python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/sbom.json" || failed=1
exit $failed
