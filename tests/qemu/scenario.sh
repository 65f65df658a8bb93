# scenario.sh: `. scenario.sh AGPU IMAGE SCENARIO` after `set -euo pipefail`: common parts of the scenarios in this
# directory. QEMU and firmware come from the environment (tests/deps --print-env).
# shellcheck shell=bash
agpu=$1 image=$2 scenario=$3

if [ -z "${AGPU_QEMU-}" ] || [ ! -e "$image" ]; then
    echo "skipped: needs AGPU_QEMU (tests/deps --print-env) and $image (cmake --build --preset image)"
    exit 77
fi
work=$(mktemp -d)
export TMPDIR=$work
out=$work/results

die() {
    echo "$scenario: $*" >&2
    # Failures first, then the end of the output: a truncated log loses the middle of a thousand lines.
    grep -EA6 '^(\[ *[0-9]+/[0-9]+\] )?(FAIL|ERROR|TIMEOUT|CRASH)' "$work/output" | sed 's/^/  | /' | head -n 60 >&2 || :
    echo "  ..." >&2
    tail -n 60 "$work/output" | sed 's/^/  | /' >&2 || :
    [ ! -e "$out/summary.json" ] || cat "$out/summary.json" >&2
    exit 1
}
has() { # FILE TEXT
    grep -qF -- "$2" "$out/$1" || die "$1 does not have: $2"
}
lacks() { # FILE TEXT
    ! grep -qF -- "$2" "$out/$1" || die "$1 has: $2"
}
summary() { # KEY REGEX
    grep -Eq "^ *\"$1\": $2,?\$" "$out/summary.json" || die "summary.json: $1 is not $2"
}
child_of() { # PID SECOND-ARGUMENT
    local pid args
    for pid in $(cat "/proc/$1/task/$1/children"); do
        mapfile -d '' args <"/proc/$pid/cmdline"
        [ "${args[1]-}" != "$2" ] || { echo "$pid" && return; }
    done
    die "process $1 has no child $2"
}
own_vdev= # a device that the test itself has started
trap '[ -z "$own_vdev" ] || kill "$own_vdev"; rm -rf "$work"' EXIT
start_vdev() { # OPTIONS...: at $work/own.sock
    mkfifo "$work/ready"
    "$agpu" vdev --socket "$work/own.sock" --log "$work/vdev.log" "$@" >"$work/ready" &
    own_vdev=$!
    read -r -t 20 _ <"$work/ready" || die "the device is not ready"
}
vfio_user() { # SOCKET: prints QEMU's argument for the device behind it
    echo "{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"$1\"}}"
}
run=("$agpu" run --image "$image" --out "$out" --accel tcg)
agpu_run() { # EXPECTED-STATUS OPTIONS...
    local expected=$1 status=0
    shift
    "${run[@]}" "$@" >"$work/output" 2>&1 || status=$?
    # shellcheck disable=SC2053 # a pattern
    [[ $status == $expected ]] || die "exit status $status, expected $expected"
}
