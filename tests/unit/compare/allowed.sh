#!/bin/bash
# allowed.sh ROOT BUILD AGPU: devices that differ where the specification allows it. Each entry of tests/faults with a
# line "allowed" is built into a plug-in and compared with the model as any device: there must be no difference. Uses a
# sixth of them, another one each day; AGPU_ALLOWED_SHARD=all: all of them.
set -euo pipefail
root=$1 build=$2 agpu=$3
shard=${AGPU_ALLOWED_SHARD:-$(($(date +%s) / 86400 % 6))}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

number=0 tried=0 found=0
while IFS=$'\t' read -r name _ _ abi _ _ allowed _; do
    [ "$allowed" != - ] || continue
    number=$((number + 1))
    [ "$shard" = all ] || [ $((number % 6)) = "$shard" ] || continue
    mkdir "$work/$name"
    python3 "$root/tests/faults/faults.py" apply "$root" "$build" "$name" "$work/$name" tests/device/plugin/agpu_model.so
    bash "$work/$name/build.sh"
    [ "$abi" = legacy ] || abi=1.4
    if ! "$agpu" compare --device model --device "$work/$name/agpu_model.so" --as any --abi "$abi" --no-catalogue --most 1 \
        --random 20000 >"$work/out" 2>&1; then
        echo "allowed.sh: $name: $allowed" >&2
        cat "$work/out" >&2
        found=$((found + 1))
    fi
    tried=$((tried + 1))
    rm -rf "${work:?}/$name"
done < <(python3 "$root/tests/faults/faults.py" list "$root")
echo "$tried devices tried, $found differ"
[ "$tried" -gt 0 ] && [ "$found" -eq 0 ]
