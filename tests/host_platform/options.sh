#!/bin/bash
# options.sh INPROCESS: invalid options of the command line and of our model are refused before anything runs, and the
# message says what was expected; a run is shown to people, as records with --records, and as reports with --out.
set -u
inprocess=$1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failures=0

refused() { # TEXT WORD...: with status 2 and this text
    local text=$1 status=0
    shift
    timeout 60 "$inprocess" --filter ring.submit.empty "$@" >"$work/out" 2>&1 || status=$?
    if [ "$status" != 2 ] || ! grep -qF -- "$text" "$work/out"; then
        echo "options: $*: expected status 2 and \"$text\", found $status and:"
        head -n 5 "$work/out"
        failures=$((failures + 1))
    fi
}

refused 'cannot use --tag "slow": expected tags with commas between, quick full stress destructive' --tag slow
refused 'cannot use --shard "5/4": expected I/N, the I-th of N parts' --shard 5/4
refused 'cannot use --clock "slow": expected real or manual' --clock slow
refused 'cannot use --as "me": expected model or any' --as me
for number in 0 x 5x 5,0 5,x ,7 '' 1000000001; do
    refused "cannot use --save-restore \"$number\": expected a number of service points, from 1 to 1000000000, and perhaps" \
        --save-restore "$number"
done
refused 'cannot use --interrupts "intx": expected poll, line, msi or msix' --interrupts intx
refused 'cannot use --require "wings": expected default, complete, software, fences, none, or some of' --require wings
refused 'cannot use --evidence "all": expected full' --evidence all
refused 'cannot use --trace "all": expected off, or some of calls' --trace all
refused 'cannot use --abi "2.0": expected 1.0 to 1.4' --abi 2.0
refused '--abi applies to the project'\''s model; with --device use --device model,abi=WHICH' --abi 1.1 --device model
for number in -1 0 x 5x ''; do
    refused "cannot use --cases-max \"$number\": expected a number of cases, from 1" --cases-max "$number"
    refused "cannot use --repeat \"$number\": expected a number of rounds, from 1 to 1000000, or of seconds" --repeat "$number"
    refused "cannot use --shuffle \"$number\": expected a number from 1" --shuffle "$number"
    refused "cannot use --stress \"$number\": expected a number of seconds" --stress "$number"
    refused "cannot use --pattern \"$number\": expected a number of seconds" --pattern "$number"
    refused "--until \"$number\": expected the number of a submission, from 1" --replay "$work/x" --until "$number"
done
refused 'cannot use --shuffle "99999999999999999999"' --shuffle 99999999999999999999
refused 'no case for a versioned device matches "rong.*"; the nearest: ring.*' --filter 'ring.*,rong.*'
refused 'no case for a legacy device matches "ring.submit.empty"' --abi legacy
refused 'expected --replay FILE, too' --until 5
refused "expected --capture or --capture-failures once; found it a second time after \"$work/a\"" \
    --capture "$work/a" --capture-failures "$work/b"
[ ! -e "$work/a" ] || { echo 'options: a capture was begun'; failures=$((failures + 1)); }

option() { # TEXT OPTIONS: of the model
    refused "option \"${3:-$2}\": expected $1" --device "model,$2"
}
option '1, 2, 4, 8, 16 or 32 vectors' msi=3
option '1, 2, 4, 8, 16 or 32 vectors' msi=64
option '1 to 64 vectors' msix=65
option '1 to 64 vectors' msix=-1
option 'on or keeps' pm=off
option 'on or flr' pcie=off
option '64' bar0=32
option '64 or none' bar1=32
option 'on or off' render=maybe
option '1 to 999999 milliseconds' render_ms=0
option '1.0 to 1.4' abi=3
option 'a number of bytes, a power of two' vram=0
option 'a power of two from 524288 to 2147483648 bytes; more with bar1=64' vram=1000000
option 'a power of two from 524288 to 2147483648 bytes; more with bar1=64' vram=4294967296
option 'a power of two from 524288 to 68719476736 bytes' bar1=64,vram=137438953472 vram=137438953472
option 'none with bar1=none' vram=524288,bar1=none vram=524288
option 'none with abi=legacy' vram=524288,abi=legacy vram=524288
option 'it once, in front of the other options' render=off,fault=copy_drops_tail fault=copy_drops_tail
option 'one of abi= fault= vram=' colour=blue
option 'one of abi= fault= vram=' pm
refused 'no model is built with the fault no_such_fault: expected variants/NAME/agpu_model.so' --fault no_such_fault
refused 'no model is built with the fault no.such.fault: expected' --device model,fault=no.such.fault
refused 'expected --records, or --out with the reports of the run, found both' --records --out "$work/reports"

shows() { # REGEX OPTIONS...: the run passes, and prints such a line last
    local regex=$1
    shift
    if ! "$inprocess" --filter ring.submit.empty --clock manual "$@" >"$work/out" 2>&1 || ! tail -n 1 "$work/out" | grep -qE "$regex"; then
        echo "options: $*: expected a last line like $regex, found:"
        tail -n 5 "$work/out"
        failures=$((failures + 1))
    fi
}

shows ';summary - status=PASS ' --records
shows '^PASS  1 pass, 1 of 1 planned  in '
! grep -qE '^[0-9]+,[0-9]+,' "$work/out" || { echo 'options: a record is shown to a person'; failures=$((failures + 1)); }
shows '^PASS  1 pass, ' --out "$work/reports"
grep -qF "report  $work/reports/report.html" "$work/out" && [ -s "$work/reports/report.html" ] ||
    { echo "options: --out: expected a report.html and its path, found:" && cat "$work/out"; failures=$((failures + 1)); }

# Without a report, the end of a log has the names of all failed cases; a check names formats by name.
"$inprocess" --filter 'buffer.*,texture.*' --clock manual --fault upload_shifted >"$work/out" 2>&1
failed=$(sed -n 's/^FAIL .* \([0-9]*\) fail, .*/\1/p' "$work/out")
listed=$(grep -cE '^  FAIL +[a-z]' "$work/out")
[ "${failed:-0}" -gt 10 ] && [ "$listed" = "$failed" ] ||
    { echo "options: expected more than 10 failed cases, and their names at the end; found $failed and $listed"; failures=$((failures + 1)); }
grep -qE 'format [A-Z][A-Z0-9_]+ \([0-9]+\), mip ' "$work/out" || { echo 'options: no format has a name'; failures=$((failures + 1)); }

[ "$failures" -eq 0 ]
