# sanitized.sh: `. sanitized.sh`, for tests that a sanitizer slows ten times, or whose programs end differently with
# one.
# shellcheck shell=bash
sanitized() { # PROGRAM: returns whether it was built with AddressSanitizer
    grep -qa __asan_init "$1"
}
