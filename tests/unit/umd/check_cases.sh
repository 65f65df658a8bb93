#!/bin/bash
# Checks cases.tsv: every number of every group it claims has a row with a test that exists or a reason; prints coverage.
# usage: check_cases.sh FOLDER
set -u
folder=$1
declare -A last=([CMD]=31 [ALC]=28 [FMT]=23 [TBL]=17 [CRE]=47 [MAP]=61 [UNM]=11 [UPD]=27 [CPY]=23 [STA]=39 [VPS]=17
    [RTV]=28 [GEO]=7 [VIW]=10 [PRS]=27 [SHR]=17 [DEF]=21)
declare -A seen=()
failures=0 tested=0 reasoned=0

fail() {
    echo "cases.tsv: $1" >&2
    failures=$((failures + 1))
}

while IFS= read -r line; do
    [[ $line == \#* || -z $line ]] && continue
    mapfile -t -d $'\t' field < <(printf '%s\t' "$line")
    number=${field[0]} test=${field[1]-} where=${field[2]-} reason=${field[3]-}
    [[ -n ${seen[$number]-} ]] && fail "$number has two rows; keep one"
    seen[$number]=1
    case $where in
    unit)
        if grep -qE "cmocka_unit_test\($test\)|TEST\($test\)" "$folder"/test_*.c "$folder"_deferred/test_*.c; then
            tested=$((tested + 1))
        else
            fail "$number names the test $test, which no test_*.c runs; correct the row or add the test"
        fi
        ;;
    build)
        if [[ -f $folder/../../../umd-port/$test ]]; then
            tested=$((tested + 1))
        else
            fail "$number names umd-port/$test, which does not exist"
        fi
        ;;
    -)
        if [[ -n $reason ]]; then
            reasoned=$((reasoned + 1))
        else
            fail "$number has neither a test nor a reason"
        fi
        ;;
    *) fail "$number: expected unit, build or - as place, found '$where'" ;;
    esac
done <"$folder/cases.tsv"

for group in "${!last[@]}"; do
    for ((i = 1; i <= last[$group]; i++)); do
        number=$(printf '%s-%02d' "$group" "$i")
        [[ -n ${seen[$number]-} ]] || fail "$number has no row"
    done
done
echo "required behaviours of the driver: $((tested + reasoned)) accounted for, $tested tested, $reasoned with a reason"
exit $((failures > 0))
