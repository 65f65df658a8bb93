# Shell shared by tests/run, tests/check and tests/deps: where things are, how messages and errors look.
# shellcheck shell=bash
# Sourced after `set -euo pipefail`. `me` is the command's name in its messages.

agpu_root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
agpu_cache=${AGPU_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/agpu}
agpu_logs=$agpu_root/build/log
agpu_werror=OFF
me=${me:-${0##*/}}

# A person who interrupts gets the status that says so, whatever the interrupted command made of it.
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
    printf '%s: %s\n' "$me" "$*" >&2
}

die() {
    say "$@"
    exit 1
}

wrong_usage() {
    say "$@"
    usage >&2
    exit 2
}

# options NAMES WORD...: sets the variable of each option among WORDs. NAMES has "out=" for one with a value, "list" for a flag, whose
# variable is the option itself then. Other words, and those after --, go to the array words, where NAMES has "words"; else they are unknown.
options() {
    local agpu_names=" $1 " agpu_name agpu_value
    words=()
    shift
    while [ $# -gt 0 ]; do
        agpu_name=${1#--} agpu_value=$1
        agpu_name=${agpu_name%%=*}
        case $1 in
        -h | --help) usage && exit 0 ;;
        --) words+=("${@:2}") && return ;;
        --*)
            if [[ $agpu_names = *" $agpu_name= "* ]]; then
                if [[ $1 = *=* ]]; then
                    agpu_value=${1#*=}
                else
                    [ $# -ge 2 ] || wrong_usage "$1 needs a value"
                    agpu_value=$2
                    shift
                fi
            elif [[ $agpu_names != *" ${1#--} "* ]]; then
                wrong_usage "unknown option: $1"
            fi
            printf -v "${agpu_name//-/_}" %s "$agpu_value"
            ;;
        *)
            [[ $agpu_names = *' words '* ]] || wrong_usage "unexpected argument: $1"
            words+=("$1")
            ;;
        esac
        shift
    done
}

# is_writable FOLDER ADVICE: makes the folder, or ends with what to do instead.
is_writable() {
    { mkdir -p "$1" && [ -w "$1" ]; } 2>/dev/null || die "cannot write in $1: $2"
}

# logged NAME COMMAND...: runs COMMAND silently, its output in build/log/NAME.log; on failure shows the log's end and
# its path, and returns the command's status.
logged() {
    local log=$agpu_logs/$1.log status=0
    shift
    mkdir -p "$agpu_logs"
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$log" >&2
        say "failed with status $status: $*"
        say "the whole log: $log"
    fi
    return "$status"
}

# configure PRESET: CMake configuration of build/PRESET when there is none for this tree, this cache folder, these
# presets and this toolchain. Everything else that a configuration depends on, ninja watches by itself. With agpu_werror=ON warnings are
# errors; a configuration with that serves those who did not ask for it too, so that nobody builds twice.
configure() {
    local preset=$1
    local stamp=$agpu_root/build/$preset/agpu-configured key="$agpu_root $agpu_cache" found=
    [ ! -f "$stamp" ] || found=$(<"$stamp")
    if { [ "$found" = "$key werror=ON" ] || [ "$found" = "$key werror=$agpu_werror" ]; } &&
        [ "$stamp" -nt "$agpu_root/CMakePresets.json" ] && [ "$stamp" -nt "$agpu_root/efi/toolchain.cmake" ] &&
        [ -f "$agpu_root/build/$preset/build.ninja" ]; then
        return 0
    fi
    (cd "$agpu_root" &&
        logged "configure-$preset" cmake --fresh --preset "$preset" -DAGPU_CACHE_DIR="$agpu_cache" \
            -DAGPU_WERROR="$agpu_werror") || return
    printf '%s werror=%s\n' "$key" "$agpu_werror" >"$stamp"
}

# locked COMMAND...: COMMAND while nobody else builds in this tree; waits, and says so, while somebody does.
locked() {
    local lock status=0
    mkdir -p "$agpu_root/build"
    exec {lock}>>"$agpu_root/build/.lock"
    if ! flock -n "$lock"; then
        say "waiting for another build in $agpu_root/build"
        flock -w 3600 "$lock" || die "another build holds $agpu_root/build/.lock for an hour: stop it, then run this again"
    fi
    "$@" || status=$?
    exec {lock}>&-
    return "$status"
}

# build PRESET [TARGET...]: configures and builds, all cores, one line that says how long it took.
build() {
    locked build_here "$@"
}

build_here() {
    local preset=$1 start=$EPOCHREALTIME took
    shift
    [ ! -t 2 ] || printf '%s: building %s ...\033[K\r' "$me" "$preset" >&2
    configure "$preset" || return
    logged "build-$preset" ninja -C "$agpu_root/build/$preset" -j"$(nproc)" "$@" || return
    took=$((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}))
    printf -v took '%d.%d' $((took / 1000000)) $((took / 100000 % 10))
    say "built $preset${*:+ ($*)} in $took s"
}
