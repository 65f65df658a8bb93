#!/bin/bash
# bare.sh ROOT PACKAGES [QEMU-FOLDER]: installs the packages of tests/package in a bare Debian root and runs them there
# as an unprivileged user. Needs root for chroot(8) and mounts. ROOT is from debootstrap --variant=minbase, and is
# changed; QEMU-FOLDER is tests/deps' QEMU, for a Debian whose own is too old. Fails if the packages need anything that
# is not in the root.
set -euo pipefail
root=$(realpath "${1:?root}")
packages=${2:?folder of the packages}
qemu=${3:-}

die() {
    echo "bare: $*" >&2
    exit 1
}
[ "$(id -u)" -eq 0 ] || die "wants to be root, for chroot and mounts"
for compiler in cc gcc clang; do
    [ ! -e "$root/usr/bin/$compiler" ] || die "$root has a compiler, $compiler: it would prove nothing"
done

# inside WORDS...: runs in the root, with /proc and /dev in a mount namespace, so that nothing stays mounted.
inside() {
    # shellcheck disable=SC2016 # expanded by the shell inside
    unshare --mount --pid --fork bash -c '
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        [ -z "$1" ] || { mkdir -p "$0/opt/qemu" && mount --bind "$1" "$0/opt/qemu"; }
        exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "${@:2}"
    ' "$root" "$qemu" "$@"
}

rm -rf "$root/tmp/packages"
mkdir "$root/tmp/packages"
cp "$packages"/* "$root/tmp/packages"
inside sh -c 'cd /tmp/packages && sha256sum --quiet -c SHA256SUMS' || die "SHA256SUMS is wrong"
cp /etc/resolv.conf "$root/etc/resolv.conf" || die "the root has no name service"
inside sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends /tmp/packages/*.deb' >"$root/tmp/apt.log" 2>&1 ||
    { tail -n 20 "$root/tmp/apt.log" >&2 && die "the packages do not install"; }
inside sh -c 'id tester >/dev/null 2>&1 || useradd -m tester; cd /home/tester && rm -rf results'
inside su tester -c 'agpu --version && agpu list --ids "ring.*" | grep -qx ring.wrap.slots' || die "agpu does not run"
inside test -r /usr/include/agpu_device_plugin.h || die "agpu-dev has no header"

# Without QEMU and firmware it reports what is missing, and starts nothing.
if ! inside test -e /usr/share/OVMF/OVMF_CODE_4M.fd; then
    said=$(inside su tester -c 'cd && agpu run' 2>&1) && die "it ran without firmware"
    [[ $said == *"OVMF_CODE_4M.fd: Debian's ovmf"* ]] || die "what is missing is not named: $said"
    inside test ! -e /home/tester/results || die "it began a run that it could not make"
fi
inside apt-get install -y -q --no-install-recommends ovmf mesa-vulkan-drivers >"$root/tmp/apt.log" 2>&1 ||
    { tail -n 20 "$root/tmp/apt.log" >&2 && die "ovmf and Mesa do not install"; }
[ -z "$qemu" ] || program=AGPU_QEMU=/opt/qemu/bin/qemu-system-x86_64
inside su tester -c "cd && ${program:-} agpu run --accel tcg --filter 'ring.wrap.*,render.triangle.*,discovery.*' --allow-skips all" ||
    die "the run did not pass"
inside su tester -c "cd && rm -rf agpu-results && ${program:-} GITHUB_ACTIONS=true agpu-ci --accel tcg --filter 'ring.wrap.*'" |
    grep -q '^::notice title=AeroGPU PASS::' || die "agpu-ci did not annotate"
inside su tester -c 'cd && agpu history --runs | grep -q "PASS"' || die "the run is not in the history"

# The unpacked archive is the same program, in any directory.
inside sh -c 'cd /opt && tar -xf /tmp/packages/agpu-*.tar.gz && cmp agpu-*/libexec/agpu/agpu /usr/libexec/agpu/agpu &&
    agpu-*/bin/agpu --version' || die "the archive is not what the packages have"
echo "bare: installed and run in $root"
