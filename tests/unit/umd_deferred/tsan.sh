#!/bin/bash
# tsan.sh PROGRAM COMPILER WORDS...: recording on several threads, under ThreadSanitizer, which cannot be combined with
# another sanitizer: one compiler call over the driver's sources makes the program. Only in the long form, because that
# call takes longer than most tests.
set -euo pipefail
program=$1
shift
if [ -z "${AGPU_TEST_LONG-}" ]; then
    echo "skipped: AGPU_TEST_LONG=1 (tests/check --long) builds it"
    exit 77
fi
"$@" -fsanitize=thread -o "$program" -pthread
TSAN_OPTIONS=halt_on_error=1 exec "$program"
