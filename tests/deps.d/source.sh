# Debian source packages, with Debian's patches, unpacked in the cache directory.
# shellcheck shell=bash

# source_install TMP PACKAGE PROOF WHAT SIZE: fetches and unpacks in TMP, then renames the result into place, in a
# directory named by its version; the link src-current changes last. PROOF is a file that it must contain.
source_install() {
    local apt=$1/apt-$2 log=$1/$2.log mirror dsc version ok=
    local what="$4 (source package $2 of trixie)"
    for mirror in $(apt_mirrors); do
        say "fetching $what from $mirror into $agpu_cache/$2 ($5)"
        apt_open "$apt" deb-src "$mirror" trixie >>"$log" 2>&1 || continue
        (cd "$1" && apt_in "$apt" apt-get source --download-only "$2") >>"$log" 2>&1 || continue
        ok=1
        break
    done
    [ "$ok" ] || apt_explain "$log" "$what"
    apt_warn "$apt"

    # apt has checked these files against Debian's signed index. --no-check only skips the uploader's own signature,
    # whose key is in no package that is needed otherwise.
    dsc=$(echo "$1/$2"_*.dsc)
    version=$(sed -n 's/^Version: *//p' "$dsc")
    dpkg-source --no-check -x "$dsc" "$1/$2" >>"$log" 2>&1 || {
        tail -n 15 "$log" >&2
        die "could not unpack $what: is there room in $agpu_cache?"
    }
    [ -f "$1/$2/$3" ] || die "expected $3 in $what, version $version, and it is not there"
    mkdir -p "$agpu_cache/$2"
    rm -rf "${agpu_cache:?}/$2/$version"
    mv "$1/$2" "$agpu_cache/$2/$version"
    ln -s "$version" "$1/src-current"
    mv -T "$1/src-current" "$agpu_cache/$2/src-current"
    sbom_note "$agpu_cache/$2" "$1/$2"_*.*
}
