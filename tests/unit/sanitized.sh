# sanitized.sh: `. sanitized.sh`, for tests that a sanitizer makes ten times as long, or whose programs end otherwise under one.
# shellcheck shell=bash
sanitized() { # PROGRAM: it was built with AddressSanitizer
    grep -qa __asan_init "$1"
}
