#!/bin/bash
# sample.sh MUTATE BUILD: tests/mutate on an eightieth of the faults, chosen by name, with the build folder as it is.
# AGPU_MUTATE_SHARD=I/N chooses another part. Fails on a fault that survives unmarked.
set -euo pipefail

mutate=$1
build=$2
shard=${AGPU_MUTATE_SHARD:-1/80}
printf 'AGPU_MUTATE_SHARD=%s\n' "$shard"
exec "$mutate" --build "$build" --shard "$shard" --most 1 --strict
