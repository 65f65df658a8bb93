# lwIP's sources, from Debian's source package with Debian's patches, unpacked under the cache folder.
# shellcheck shell=bash

agpu_lwip=$agpu_cache/lwip/src-current

lwip_find() {
    [ -f "$agpu_lwip/src/core/init.c" ]
}

# lwip_install TMP: fetches and unpacks in TMP, then renames it into place, in a folder named by its version; the link
# src-current changes last.
lwip_install() {
    local apt=$1/apt-lwip log=$1/lwip.log mirror dsc version ok=
    local what="the lwIP sources (source package lwip of trixie)"
    for mirror in $(apt_mirrors); do
        say "fetching $what from $mirror into $agpu_cache/lwip (2 MB)"
        apt_open "$apt" deb-src "$mirror" trixie >>"$log" 2>&1 || continue
        (cd "$1" && apt_in "$apt" apt-get source --download-only lwip) >>"$log" 2>&1 || continue
        ok=1
        break
    done
    [ "$ok" ] || apt_explain "$log" "$what"
    apt_warn "$apt"

    # apt has checked these files against Debian's signed index; --no-check only skips the uploader's own signature,
    # whose key is in no package that is needed otherwise.
    dsc=$(echo "$1"/lwip_*.dsc)
    version=$(sed -n 's/^Version: *//p' "$dsc")
    dpkg-source --no-check -x "$dsc" "$1/lwip" >>"$log" 2>&1 || {
        tail -n 15 "$log" >&2
        die "could not unpack $what: is there room for 20 MB in $agpu_cache?"
    }
    mkdir -p "$agpu_cache/lwip"
    rm -rf "${agpu_cache:?}/lwip/$version"
    mv "$1/lwip" "$agpu_cache/lwip/$version"
    ln -s "$version" "$1/src-current"
    mv -T "$1/src-current" "$agpu_lwip"
    sbom_note "$agpu_cache/lwip" "$1"/lwip_*.*
}
