#!/bin/bash
# compare.sh AGPU INPROCESS MODEL BAD: `agpu compare` from outside. Equal devices are equal; a faulty one is found, by
# the catalogue and by random work; each wrong argument and each broken plug-in gives a message.
set -euo pipefail
agpu=$1 inprocess=$2 model=$3 bad=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run STATUS ARGUMENTS...: the command must exit with that status; its output is in out.
run() {
    local status=0
    timeout 120 "$agpu" compare --inprocess "$inprocess" "${@:2}" >"$work/out" 2>&1 || status=$?
    [ "$status" = "$1" ] && return
    echo "compare.sh: $*: exit status $status" >&2
    cat "$work/out" >&2
    exit 1
}
lacks() {
    grep -qF -- "$1" "$work/out" || return 0
    echo "compare.sh: expected not to be said: $1" >&2
    cat "$work/out" >&2
    exit 1
}
says() {
    grep -qF -- "$1" "$work/out" && return
    echo "compare.sh: expected: $1" >&2
    cat "$work/out" >&2
    exit 1
}

run 0 --device model --device "$model" --as model --random 4000 --filter 'buffer.copy.*' --json "$work/json" --html "$work/html"
says '0 differences'
says 'numbers far apart'
says ' legacy: '
grep -q '"same": true' "$work/json"
grep -q 'no difference' "$work/html"
run 0 --device model --as any --random 4000 --no-catalogue
# An area alone brings those that it needs; a run that tried less than it was asked to is not "the same".
run 1 --device model,fault=clear_swaps_rb --area clear --random 40000 --no-catalogue --most 1
says 'CLEAR'
run 1 --device model --as any --area view,texture --random 400 --no-catalogue
says 'verdict: not compared: nothing was generated for view:'
run 0 --device model --random 1000000000 --seconds 1 --no-catalogue --json "$work/json"
says 'verdict: no difference found in '
says 'streams were not run'
grep -q '"same": false' "$work/json"
run 1 --device model,fault=copy_drops_tail --random 4000 --filter 'buffer.copy.*' --most 1 --json "$work/json" --html "$work/html"
says 'verdict  buffer.copy.'
says 'commands.md 6.4: memory'
says 'COPY_BUFFER'
says 'again: agpu compare'
grep -q '"section": "commands.md 6.4"' "$work/json"
grep -q '<li><b>commands.md 6.4</b>' "$work/html"
# Choices are listed and are no differences. Common capabilities are used, others are left out; --with makes a
# difference of one.
run 0 --device model --device model,pm=on,pcie=flr,msi=4,msix=4 --random 4000 --filter 'discovery.capability.*,irq.taken_msi.*' --json "$work/json" --html "$work/html"
says 'different choices, which the specification allows:'
says 'PM: none on A, D3hot resets on B'
says 'A, given as model, is the project'\''s model: it gets the options of the other'
says 'catalogue: '
says ' 0 differences, 0 other choices, 0 tried on one alone'
says 'verdict: the two do the same, in '
grep -q '"compared_as": "model,pm=on,pcie=flr,msi=4,msix=4"' "$work/json"
grep -q '"choice": "capabilities"' "$work/json"
grep -q '<h3>Different choices, which the specification allows</h3>' "$work/html"
run 0 --device model --device model,pm=on,bar1=none --as-given --random 4000 --filter 'discovery.capability.*' --json "$work/json"
says 'left out, since not both have it: board aperture'
says 'not compared, since their choices differ: bars capabilities'
says 'tried    discovery.capability.power: A SKIP'
grep -q '"areas_left_out": "board aperture"' "$work/json"
run 1 --device model --device model,pm=on --as-given --random 100 --no-catalogue --with capabilities --most 1 --area ring --abi 1.4
says 'PM: none on A, D3hot resets on B: a difference, because of --with'
says 'verdict: the two differ: 1 choice that should be equal'
# A rule that one device breaks on its own, and the fault that comes with the capability.
run 1 --device model --device model,fault=capability_loop --random 0 --no-catalogue --json "$work/json" --html "$work/html"
says 'device.md 1.1: on B by itself: the capability list does not end'
says 'verdict: the two differ: 1 rule broken by one device on its own'
says 'again: agpu compare'
grep -q '"breaks": \[$' "$work/json"
grep -q '<b>device.md 1.1</b>: on B by itself' "$work/html"
run 1 --device model,fault=flr_ignored --random 4000 --no-catalogue --most 1 --abi 1.4 --cases "$work/cases"
says 'function reset by PCI Express'
says 'a case has no steps for a function reset'
says 'not written as captures'
[ -d "$work/cases" ] && [ -z "$(ls "$work/cases")" ]
# Drawing with a cold cache is slow but correct; a device without enough time for it fails. Without Vulkan neither
# draws.
mkdir "$work/cache"
export XDG_CACHE_HOME=$work/cache
run 0 --device model --device model --draws --no-catalogue --random 60 --seed 12 --abi 1.4
if grep -q . < <(find "$work/cache" -type f); then
    run 1 --device model,render_ms=1 --device model --draws --no-catalogue --random 60 --seed 12 --abi 1.4 --most 1 --no-reduce
    says 'errors'
fi
run 1 --device model,render_ms=x --no-catalogue --random 1
says 'option "render_ms=x": expected 1 to 999999 milliseconds'
run 1 --device model,fault=vblank_stuck --random 4000 --no-catalogue --most 1 --area scanout --abi 1.4
says 'device.md 4.7'
run 0 --device model,fault=vblank_stuck --random 2000 --no-catalogue --without scanout,legacy,config
run 0 --list
says 'choices that the specification leaves'

# The area of a difference in nearly every session is left out, and all streams run. One fault in many cases takes a few
# lines; the reports have each case.
run 1 --device model,fault=vblank_stuck --random 8000 --no-catalogue --abi 1.4 --json "$work/json" --html "$work/html"
says 'without scanout from session '
says 'verdict: the two differ: 1 difference in random work'
lacks 'stopped early'
grep -q '"left_out": "scanout"' "$work/json"
grep -q '"streams_not_tried": 0' "$work/json"
grep -q '<p>without scanout from session ' "$work/html"
run 1 --device model,fault=upload_shifted --random 0 --filter 'buffer.*,umd.*' --json "$work/json"
says 'by the same check)'
[ "$(wc -l <"$work/out")" -le 50 ]
[ "$(grep -c '"kind": "verdict"' "$work/json")" -ge 60 ]
# A comparison that stops early reports why, and how much is left.
run 0 --device model --random 100000000 --seconds 1 --no-catalogue --abi 1.4 --json "$work/json" --html "$work/html"
says 'stopped early by --seconds: '
grep -q '^verdict: .*; [0-9]* streams were not run$' "$work/out"
grep -q '"stopped_why": "stopped early by --seconds: ' "$work/json"
grep -q '<p>stopped early by --seconds: ' "$work/html"

export AGPU_BAD_DEVICE=crash_log # its earlier log is not the reason of its end
run 1 --device "$bad" --random 100 --filter 'ring.basics.*' --most 1 --area ring --no-reduce
says 'verdict  ring.basics.bring_up: A PASS, B CRASH: device minimal crashed: SIGSEGV'
says 'B: device minimal crashed: SIGSEGV at address 0x0 in bar_write BAR0 + 0x200'
AGPU_BAD_DEVICE=stop # stops its watchdog too
run 1 --device "$bad" --random 10 --filter 'ring.submit.*' --most 1 --area ring --hang 1 --no-reduce
says 'device minimal stopped the process of the tool in bar_write BAR0 + 0x200'
says 'device minimal hangs: a call did not return; its process is stopped, including its guard thread'
AGPU_BAD_DEVICE=crash
# A crash costs one case; after 64 of them the run ends.
run 1 --device "$bad" --random 0 --filter 'ring.basics.bring_up,discovery.identity.*'
lacks 'did not end'
lacks ' were not run'
says 'verdict  ring.basics.bring_up: A PASS, B CRASH: device minimal crashed: SIGSEGV'
run 1 --device "$bad" --random 0 --filter 'ring.*,fence.*,irq.*'
says 'B CRASH: device minimal crashed: SIGSEGV'
says '(and 63 more cases by the same check)'
says 'the catalogue on B did not end: it ended in '
says ' cases were not run'
lacks ', B -'
run 1 --device "$bad" --random 100 --no-catalogue --most 1 --area ring
says 'B: device minimal crashed: SIGSEGV at address 0x0 in bar_write BAR0 + 0x200'
AGPU_BAD_DEVICE=hang
run 1 --device "$bad" --no-catalogue --abi 1.4 --hang 1 --json "$work/json"
says 'hangs: a call did not return'
says 'seen 3 times, first in session 0'
says 'stopped early since the device hung again and again'
says 'verdict: the two differ: 1 difference in random work'
grep -q '"streams_not_tried": 100000' "$work/json"
# Absurd DMA shows on no other device, and is still a finding, once, and an ERROR of the catalogue.
AGPU_BAD_DEVICE=dma
run 1 --device "$bad" --random 300 --area ring --filter 'ring.submit.*' --abi 1.4 --json "$work/json" --html "$work/html"
says 'device.md 2: B: device minimal asked for absurd DMA: to write 18446744073709551615 bytes at 0xfffffffffffffff7'
says 'on B: device minimal at 00:03.0 asked for absurd DMA: more than 2^52 bytes at once, first in ring.submit.empty'
says '1 difference in the catalogue'
[ "$(grep -c '^device.md 2: B: ' "$work/out")" = 1 ]
grep -q '"signature": "absurd DMA of B"' "$work/json"
grep -q 'on B: device minimal at 00:03.0 asked for absurd DMA' "$work/html"
AGPU_BAD_DEVICE=size
run 1 --device "$bad" --no-catalogue
says 'device B'
says 'both must agree'
run 1 --device "$work/nothing.so"
says 'No such file'
run 1 --device model,colour=blue --no-catalogue
says 'option "colour=blue"'
run 1 --device model,abi=legacy --device model,abi=1.4 --no-catalogue
says 'no work in common'
run 2
says 'expected one --device or two, found none'
run 2 --device model --most 0
says '--most 0: expected a number from 1 to 16'
run 2 --device model --cases /dev/null/cases
says '--cases /dev/null/cases: Not a directory'
run 2 --device model --hang 0
says '--hang 0: expected a number from 1 to 3600'
run 2 --device model --random x
says '--random x: expected a number'
run 2 --device model --area colours
says 'there is no "colours"'
run 2 --device a --device b --device c
says 'expected at most two --device, found a third'
run 2 --device model --as board
says 'expected model or any'
run 1 --device model --inprocess "$work/none"
says 'name it with --inprocess'
