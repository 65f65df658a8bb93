# lib.sh: shell code shared by the commands in tests: paths, messages and errors.
# shellcheck shell=bash
# Sourced after `set -euo pipefail`. `me` is the command's name in its messages.

agpu_root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
agpu_cache=${AGPU_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/agpu}
agpu_logs=$agpu_root/build/log
agpu_werror=OFF
me=${me:-${0##*/}}

# A user's interrupt sets the exit status, whatever the interrupted command made of it.
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

# options NAMES WORD...: sets the variable of each option among the WORDs. NAMES has "out=" for an option with a value,
# and "list" for a flag, whose variable is then the option itself. Other words, and those after --, go into the array
# words if NAMES has "words"; otherwise they are unknown.
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

# is_writable FOLDER ADVICE: creates the directory, or ends with the advice.
is_writable() {
    { mkdir -p "$1" && [ -w "$1" ]; } 2>/dev/null || die "cannot write in $1: $2"
}

# count_steps NAME: copies its input; a terminal shows the last number of a step, as ninja prints it.
count_steps() {
    local line
    while IFS= read -r line || [ "$line" ]; do
        printf '%s\n' "$line"
        [[ ! $line =~ ^\[[0-9]+/[0-9]+\] ]] || [ ! -t 2 ] || printf '%s: %s %s\033[K\r' "$me" "$1" "${BASH_REMATCH[0]}" >&2
    done
}

# logged NAME COMMAND...: runs COMMAND with its output in build/log/NAME.log, and counts its steps; on failure shows the
# log's end and its path, and returns the command's status.
logged() {
    local name=$1 log=$agpu_logs/$1.log status=0
    shift
    mkdir -p "$agpu_logs"
    "$@" 2>&1 </dev/null | count_steps "$name" >"$log" || status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$log" | cut -c -400 >&2 # a linker's command may have 20,000 characters
        say "failed with status $status: $*"
        say "the whole log: $log"
    fi
    return "$status"
}

# configure PRESET: runs CMake for build/PRESET if there is no configuration for this tree, cache directory, presets and
# toolchain. ninja watches everything else that a configuration depends on. With agpu_werror=ON warnings are errors;
# such a configuration also serves calls without it, so that nothing is built twice.
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

# configure_at_once PRESET...: configures the presets side by side, since CMake uses one processor.
configure_at_once() {
    local preset pid started=() status=0
    for preset in "$@"; do
        configure "$preset" &
        started+=($!)
    done
    for pid in "${started[@]}"; do
        wait "$pid" || status=$?
    done
    return "$status"
}

# locked COMMAND...: runs COMMAND while no other build runs in this tree; waits for one, and reports that.
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

# build PRESET [TARGET...]: configures and builds with all cores; prints one line with the duration.
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
