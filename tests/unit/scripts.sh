#!/bin/bash
# scripts.sh SOURCE_DIR: the user's commands in tests/, as far as they go without a build: interrupts, one build at a
# time, options.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tests"
cp "$source/tests/lib.sh" "$work/tests"
failed=0

wrong() {
    echo "scripts: $*" >&2
    failed=1
}
# status EXPECTED COMMAND...: output in $work/said.
status() {
    local expected=$1 found=0
    shift
    "$@" >"$work/said" 2>&1 </dev/null || found=$?
    [ "$found" = "$expected" ] || wrong "exit status $found, expected $expected: $* ($(tail -n 2 "$work/said"))"
}
says() {
    grep -qF -- "$1" "$work/said" || wrong "does not say: $1 ($(tail -n 3 "$work/said"))"
}

# An interrupted build ends with the status of the interrupt, whatever the build tool returns.
cat >"$work/interrupted" <<'END'
set -euo pipefail
. "${0%/*}/tests/lib.sh"
logged build bash -c "kill -$1 $$; exit 2" || exit
END
status 130 bash "$work/interrupted" INT
status 143 bash "$work/interrupted" TERM

# On a terminal a build counts its steps. When it fails, the end of its log is shown, without the rest of long lines.
cat >"$work/counted" <<'END'
set -euo pipefail
. "${0%/*}/tests/lib.sh"
logged build bash -c 'printf "[3/17] one\n%0999d\nlast" 0; exit 5' || exit
END
status 5 script -qec "bash $work/counted" /dev/null
says 'counted: build [3/17]'
says 'last'
[ "$(wc -L <"$work/said")" -le 400 ] || wrong "a line of $(wc -L <"$work/said") columns"
[ "$(tail -n 1 "$work/build/log/build.log")" = last ] || wrong "log: $(cat "$work/build/log/build.log")"

# Two at once: the second waits, reports that, and starts when the first has ended.
cat >"$work/builder" <<'END'
set -euo pipefail
. "${0%/*}/tests/lib.sh"
one() {
    echo "$1 begins" >>"$agpu_root/order"
    read -r _ <"$agpu_root/$1"
    echo "$1 ends" >>"$agpu_root/order"
}
locked one "$1"
END
mkfifo "$work/first" "$work/second"
: >"$work/order"
bash "$work/builder" first 2>"$work/said.first" &
exec 6>"$work/first" # returns when the first is in its build
bash "$work/builder" second 2>"$work/said.second" &
until grep -q 'waiting for another build' "$work/said.second" 2>/dev/null; do
    kill -0 $! 2>/dev/null || { wrong "the second build ended instead of waiting" && break; }
done
echo go >&6
exec 7>"$work/second"
echo go >&7
wait
[ "$(tr '\n' ' ' <"$work/order")" = "first begins first ends second begins second ends " ] || wrong "order: $(cat "$work/order")"
[ ! -s "$work/said.first" ] || wrong "the first build says $(cat "$work/said.first")"

# Options are checked before anything is installed or built.
status 0 "$source/tests/run" --help
says '--rerun-failed'
status 0 "$source/tests/run" --fault list
says 'copy_drops_tail'
status 0 "$source/tests/run" --fault=list
says 'copy_drops_tail'
status 2 "$source/tests/run" --fault=copy_drop_tail
says 'copy_drops_tail'
status 2 "$source/tests/run" --filter
says '--filter needs a value'
status 2 "$source/tests/run" --rerun-failed "$work/none"
says "no results in $work/none"
status 2 "$source/tests/run" --filtre=x
says 'unknown option: --filtre'
status 2 "$source/tests/check" nopart
says 'nopart: no such PART; expected one of: unit'
status 2 "$source/tests/check" --since
says '--since needs a revision'
status 1 "$source/tests/check" --since no/such/revision
says 'git knows no such revision'
status 2 "$source/tests/soak" --minutes
says '--minutes needs a value'
status 2 "$source/tests/soak" --minutes=0
says 'minutes and seed are numbers above 0'
status 2 "$source/tests/soak" 60
says 'unexpected argument: 60'
status 2 "$source/tests/campaign" --parts x
says "needs a number from 1 to 1000000, not 'x'"
status 2 "$source/tests/coverage" more
says 'unexpected argument: more'
exit "$failed"
