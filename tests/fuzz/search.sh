#!/bin/bash
# search.sh FUZZER CORPUS_TOOL WORK INPUT...: runs a libFuzzer program for AGPU_FUZZ_SECONDS (3; 600 when AGPU_TEST_LONG
# is set), starting from the given inputs (directories, .pack files) and from those that earlier searches left in WORK.
# Fails when it finds a defect.
set -euo pipefail
fuzzer=$1 tool=$2 work=$3
shift 3
seconds=${AGPU_FUZZ_SECONDS:-${AGPU_TEST_LONG:+600}}
seconds=${seconds:-3}

rm -rf "$work/known"
mkdir -p "$work/known" "$work/learned"
folders=()
for input in "$@"; do
    case $input in
    *.pack)
        folder=$work/known/${#folders[@]}
        mkdir "$folder"
        "$tool" unpack "$input" "$folder"
        folders+=("$folder")
        ;;
    *) folders+=("$input") ;;
    esac
done

status=0
"$fuzzer" -max_total_time="$seconds" -max_len=16384 -timeout=30 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$work/fault-" "$work/learned" "${folders[@]}" >"$work/log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
    tail -n 60 "$work/log"
    echo "${fuzzer##*/} found a fault: the input is named above, the whole log is $work/log."
    echo "Correct the fault, then add the input to the corpus/ folder of the target, named after its cause."
    exit 1
fi
grep -E '^(stat::|Done|renderer: [0-9])|DONE' "$work/log"
