#!/bin/bash
# polled.sh INPROCESS DEVICE: the catalogue passes on a device whose vblanks happen in poll(), on either clock and with
# either ABI, because the tools call poll() at the time that it returned.
set -euo pipefail
inprocess=$1 device=$2
for abi in 1.4 legacy; do
    for clock in manual real; do
        "$inprocess" --quiet --clock $clock --device "$device,abi=$abi" --require none --expect abi=$abi \
            --filter '*vblank*,*clock*,present.*,perf.*' || {
            echo "polled.sh: the catalogue does not pass with --clock $clock and abi=$abi" >&2
            exit 1
        }
    done
done
