#!/bin/bash
# manual.sh AGPU FOLDER: the manual pages and the shell completion in FOLDER, which are made from --help.
set -euo pipefail
agpu=$1
folder=$2
failed=0
wrong() {
    echo "manual: $*" >&2
    failed=1
}

for command in $("$agpu" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
    [ -s "$folder/agpu-$command.1" ] || wrong "agpu-$command.1 is missing"
    grep -q "agpu\\\\-$command" "$folder/agpu.1" || wrong "agpu.1 does not name agpu-$command"
done
grep -qF '\fB\-\-failed\-from DIR\fR' "$folder/agpu-run.1" || wrong "agpu-run.1 lacks --failed-from"
if type -P groff >/dev/null; then
    for page in "$folder"/*.1; do
        said=$(groff -ww -man -Tutf8 "$page" 2>&1 >/dev/null) || :
        [ -z "$said" ] || wrong "$page: $said"
    done
else
    echo "manual: no groff here, the pages were not set" >&2
fi

# shellcheck source=/dev/null
. "$folder/agpu.bash"
offers() { # EXPECTED WORDS-OF-THE-LINE...: the first few words that bash would offer
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _agpu "$1"
    [ "${COMPREPLY[*]:0:3}" = "$expected" ] || wrong "\"${*:2}\" is completed to \"${COMPREPLY[*]:0:3}\", expected \"$expected\""
}
offers 'replay reduce report' "$agpu" re
offers '--accel' "$agpu" run --ac
offers 'auto kvm tcg' "$agpu" run --accel ''
offers 'copy_drops_tail' "$agpu" run --fault copy_d
offers 'ring.wrap.slots' "$agpu" run ring.wrap.slo
offers 'virtio-net e1000 e1000e' "$agpu" run --nic ''
offers 'fence_early' "${BASH_SOURCE[0]%/unit/*}/run" --fault fence_earl
offers 'ktap' "$agpu" report --format k
if type -P zsh >/dev/null; then
    zsh -n "$folder/_agpu" || wrong "_agpu: zsh cannot read it"
else
    echo "manual: no zsh here, its completion was not read" >&2
fi
exit "$failed"
