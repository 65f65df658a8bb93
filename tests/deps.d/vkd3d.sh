# vkd3d-compiler with HLSL input and DXBC output: the system's if it has both, otherwise Debian forky's, unpacked in the
# cache directory. Only tests/shaders/generate needs it.
# shellcheck shell=bash

vkd3d_compiles_hlsl() {
    [[ $("$1" --print-target-types -x hlsl 2>/dev/null) == *dxbc-tpf* ]]
}

# Sets agpu_vkd3d_compiler to the program to run. Returns nonzero if there is none yet.
vkd3d_find() {
    if agpu_vkd3d_compiler=$(type -P vkd3d-compiler) && vkd3d_compiles_hlsl "$agpu_vkd3d_compiler"; then
        return 0
    fi
    agpu_vkd3d_compiler=$agpu_cache/vkd3d/bin/vkd3d-compiler
    [ -x "$agpu_vkd3d_compiler" ]
}

# vkd3d_install TMP: fetches, unpacks and tries it in TMP, then renames it into place.
vkd3d_install() {
    local apt=$1/apt-vkd3d new=$1/vkd3d log=$1/vkd3d.log mirror dir ok=
    local what="vkd3d-compiler (package of Debian forky)"
    for mirror in $(apt_mirrors); do
        say "fetching $what from $mirror into $agpu_cache/vkd3d (4 MB, 16 MB on disk)"
        apt_open "$apt" deb "$mirror" forky >>"$log" 2>&1 || continue
        apt_in "$apt" apt-get install --download-only vkd3d-compiler >>"$log" 2>&1 || continue
        ok=1
        break
    done
    [ "$ok" ] || apt_explain "$log" "$what"

    # dpkg-deb does not know the merged /usr: without these links it would create plain directories.
    for dir in bin sbin lib lib64; do
        mkdir -p "$new/prefix/usr/$dir"
        ln -s "usr/$dir" "$new/prefix/$dir"
    done
    sbom_note "$new" "$apt"/cache/archives/*.deb
    for dir in "$apt"/cache/archives/*.deb; do
        dpkg-deb -x "$dir" "$new/prefix" >>"$log" 2>&1 || {
            tail -n 15 "$log" >&2
            die "could not unpack $what: is there room for 20 MB in $agpu_cache?"
        }
    done
    rm -rf "$new/prefix/usr/share"

    # Its own loader and libraries: this machine's libc is older than the one it was built for.
    mkdir "$new/bin"
    cat >"$new/bin/vkd3d-compiler" <<'EOF'
#!/bin/sh
# Written by tests/shaders/generate: Debian forky's vkd3d-compiler with the loader and libraries that it came with.
p=${0%/*}/../prefix/usr
unset LD_PRELOAD LD_LIBRARY_PATH
exec "$p/lib64/ld-linux-x86-64.so.2" --inhibit-cache --library-path "$p/lib/x86_64-linux-gnu" \
    --argv0 vkd3d-compiler "$p/bin/vkd3d-compiler" "$@"
EOF
    chmod +x "$new/bin/vkd3d-compiler"
    vkd3d_compiles_hlsl "$new/bin/vkd3d-compiler" || {
        "$new/bin/vkd3d-compiler" --version >&2 || true
        die "$what was unpacked in $new, but does not compile HLSL to DXBC"
    }
    rm -rf "$agpu_cache/vkd3d"
    mv "$new" "$agpu_cache/vkd3d"
}
