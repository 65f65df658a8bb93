# QEMU with vfio-user-pci: the system's if it has it, otherwise one from trixie-backports unpacked in the cache
# directory.
# shellcheck shell=bash

# Queries this one device: `-device help` would make a private QEMU load every module, including the system's foreign
# ones.
qemu_has_vfio_user() {
    [[ $("$1" -device vfio-user-pci,help 2>&1) == *"vfio-user-pci options"* ]]
}

# Sets agpu_qemu to the program to run. Returns nonzero if there is none yet. A query of a QEMU's devices takes
# noticeably long, so the answer of the system's QEMU is cached, with the size and time of that program.
qemu_find() {
    local system key memo=$agpu_cache/qemu-system answer=
    if system=$(type -P qemu-system-x86_64); then
        key=$(stat -Lc '%n %s %Y' "$system")
        [ ! -f "$memo" ] || answer=$(<"$memo")
        if [[ $answer != "$key "* ]]; then
            answer="$key no"
            if qemu_has_vfio_user "$system"; then answer="$key yes"; fi
            mkdir -p "$agpu_cache"
            printf '%s\n' "$answer" >"$memo"
        fi
        if [[ $answer == *" yes" ]]; then
            agpu_qemu=$system
            return 0
        fi
    fi
    agpu_qemu=$agpu_cache/qemu/bin/qemu-system-x86_64
    [ -x "$agpu_qemu" ]
}

# Returns whether the private QEMU is in use and was not compared with the signed index for 7 days.
qemu_stale() {
    [ "$agpu_qemu" = "$agpu_cache/qemu/bin/qemu-system-x86_64" ] &&
        [ -z "$(find "$agpu_cache/qemu" -maxdepth 1 -name checked -mtime -7)" ]
}

# qemu_refresh TMP: fetches a newer QEMU if one is signed. The existing one stays if that fails.
qemu_refresh() {
    local apt=$1/apt-look mirror have candidate=
    have=$(awk -F'\t' '$1 == "qemu-system-x86" { print $2 }' "$agpu_cache/qemu/sbom.tsv" 2>/dev/null || true)
    for mirror in $(apt_mirrors); do
        apt_open "$apt" deb "$mirror" trixie trixie-backports >"$1/look.log" 2>&1 || continue
        candidate=$(apt_in "$apt" apt-cache madison qemu-system-x86 | awk -F' *[|] *' '$3 ~ /backports/ { print $2; exit }')
        [ -z "$candidate" ] || break
    done
    if [ -z "$candidate" ]; then
        say "could not look for a newer QEMU: goes on with ${have:-the one} in $agpu_cache/qemu"
        return 0
    fi
    if [ -n "$have" ] && dpkg --compare-versions "$candidate" le "$have"; then
        touch "$agpu_cache/qemu/checked"
        return 0
    fi
    say "QEMU ${have:-of unknown version} becomes $candidate"
    (qemu_install "$1") || say "goes on with the QEMU in $agpu_cache/qemu"
}

# qemu_install TMP: fetches, unpacks and tries it in TMP, then renames it into place.
qemu_install() {
    local apt=$1/apt-qemu new=$1/qemu log=$1/qemu.log mirror dir ok=
    local what="QEMU >= 10.1 (qemu-system-x86 of trixie-backports)"
    local arch
    arch=$(dpkg --print-architecture)
    [ "$arch" = amd64 ] || die "expected an amd64 machine for $what, found $arch: install a QEMU >= 10.1 by hand"
    for mirror in $(apt_mirrors); do
        say "fetching $what from $mirror into $agpu_cache/qemu (40 MB, 180 MB on disk)"
        apt_open "$apt" deb "$mirror" trixie trixie-backports >>"$log" 2>&1 || continue
        printf 'Package: qemu-* seabios\nPin: release n=trixie-backports\nPin-Priority: 990\n' \
            >"$apt/preferences/qemu"
        apt_in "$apt" apt-get install --download-only qemu-system-x86 >>"$log" 2>&1 || continue
        ok=1
        break
    done
    [ "$ok" ] || apt_explain "$log" "$what"
    apt_warn "$apt"

    # dpkg-deb does not know the merged /usr: without these links it would create plain directories.
    for dir in bin sbin lib lib64; do
        mkdir -p "$new/prefix/usr/$dir"
        ln -s "usr/$dir" "$new/prefix/$dir"
    done
    sbom_note "$new" "$apt"/cache/archives/*.deb
    find "$apt/cache/archives" -name '*.deb' -print0 |
        xargs -0 -P "$(nproc)" -I{} dpkg-deb -x {} "$new/prefix" >>"$log" 2>&1 || {
        tail -n 15 "$log" >&2
        die "could not unpack $what: is there room for 250 MB in $agpu_cache?"
    }
    rm -rf "$new/prefix/usr/share/"{doc,man,locale,lintian}

    # Use its own loader and libraries, because this machine's libc may be older than the one it was built for. The same
    # for modules.
    mkdir "$new/bin"
    cat >"$new/bin/qemu-system-x86_64" <<'EOF'
#!/bin/sh
# Written by tests/deps: QEMU from trixie-backports with the loader, libraries and ROMs that it came with.
p=${0%/*}/../prefix/usr
unset LD_PRELOAD LD_LIBRARY_PATH
QEMU_MODULE_DIR=$p/lib/x86_64-linux-gnu/qemu
export QEMU_MODULE_DIR
exec "$p/lib64/ld-linux-x86-64.so.2" --inhibit-cache --library-path "$p/lib/x86_64-linux-gnu" \
    --argv0 qemu-system-x86_64 "$p/bin/qemu-system-x86_64" \
    -L "$p/share/qemu" -L "$p/share/seabios" -L "$p/lib/ipxe/qemu" "$@"
EOF
    chmod +x "$new/bin/qemu-system-x86_64"
    qemu_has_vfio_user "$new/bin/qemu-system-x86_64" || {
        "$new/bin/qemu-system-x86_64" -version >&2 || true
        die "$what was unpacked in $new, but does not know the device vfio-user-pci"
    }
    touch "$new/checked"
    rm -rf "$agpu_cache/qemu"
    mv "$new" "$agpu_cache/qemu"
}
