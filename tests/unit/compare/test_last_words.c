/* test_last_words.c: finds the line that says why a device process ended, in all that it wrote. */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/host/compare/last_words.h"
#include "tests/unit/test.h"

static char text[512];

/* Writes said times over, then end. */
static const char *words_of(const char *said, unsigned times, const char *end)
{
    const int file = memfd_create("said", MFD_CLOEXEC);
    bool found;

    assert_true(file >= 0);
    for (unsigned i = 0; i < times; i++) {
        assert_int_equal(write(file, said, strlen(said)), (ssize_t)strlen(said));
    }
    assert_int_equal(write(file, end, strlen(end)), (ssize_t)strlen(end));
    found = agpu_cmp_last_words(file, text, sizeof text);
    assert_int_equal(found, text[0] != '\0');
    close(file);
    return text;
}

TEST(the_guard_comes_before_all)
{
    static const char crash[] = "device mine crashed: SIGSEGV at address 0x0";

    assert_string_equal(
        words_of("device: firmware 1.2\n", 1, "device mine crashed: SIGSEGV at address 0x0\n"), crash);
    assert_string_equal(
        words_of("mine: hello\n", 1, "device mine crashed: SIGSEGV at address 0x0\nmine: bye\n"), crash);
    /* A long output in front of it does not hide the line; an earlier line that only looks like it is not taken. */
    assert_string_equal(
        words_of("device: and so on and on\n", 100000, "device mine crashed: SIGSEGV at address 0x0"), crash);
    assert_string_equal(words_of("device mine is fine\n", 3, "device mine crashed: SIGSEGV at address 0x0\n"),
                        crash);
}

TEST(a_panic_is_named)
{
    static const char crash[] = "device mine crashed: SIGABRT in poll\n";

    assert_string_equal(
        words_of("mine: hello\nthread 'a' panicked at src/lib.rs:7:5:\nno such handle\nnote: x\n", 1, crash),
        "device mine crashed: SIGABRT in poll; thread 'a' panicked at src/lib.rs:7:5: no such handle");
    assert_string_equal(
        words_of("so: mine.c:7: poll: Assertion `x == 1' failed.\nmine: bye\n", 1, crash),
        "device mine crashed: SIGABRT in poll; so: mine.c:7: poll: Assertion `x == 1' failed.");
    /* A panic that the device survives. */
    assert_string_equal(words_of("thread 'a' panicked at a.rs:7:5:\n", 1, "no handle\nmore\n"),
                        "thread 'a' panicked at a.rs:7:5:");
    assert_string_equal(words_of("thread 'a' panicked at a.rs:7:5:\n", 30, crash),
                        "device mine crashed: SIGABRT in poll; thread 'a' panicked at a.rs:7:5:");
}

TEST(otherwise_the_output_of_the_tool)
{
    assert_string_equal(words_of("device: firmware 1.2\n", 2, "agpu_inprocess: no device: no memory\nmore\n"),
                        "agpu_inprocess: no device: no memory");
    assert_string_equal(words_of("\n\ndevice: firmware 1.2\n", 1, "device: firmware 1.3\n"),
                        "device: firmware 1.2");
    assert_string_equal(words_of("", 0, ""), "");
    assert_string_equal(words_of("\n\n", 1, ""), "");
    assert_string_equal(words_of("a \033[2J b", 1, "\n"), "a ?[2J b");
}
