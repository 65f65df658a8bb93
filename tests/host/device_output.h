/* device_output.h: interprets a device program's output: why it did not start or ended, and accesses that no device
 * may make. */
#ifndef AGPU_TESTS_HOST_DEVICE_OUTPUT_H
#define AGPU_TESTS_HOST_DEVICE_OUTPUT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns true for a line of the guard process about a crash or hang (tests/device/plugin/guard.h). */
static inline bool agpu_output_is_guard(const char *line, size_t length)
{
    return length > 7 && memcmp(line, "device ", 7) == 0;
}

/* Returns the sentence in a line about DMA that no device may request (tests/device/plugin/refusal.h); NULL: the
 * line is not one. */
static inline const char *agpu_output_absurd(const char *line, size_t length)
{
    const char *device = memmem(line, length, "device ", 7);

    return memmem(line, length, " asked for absurd DMA: ", 23) != NULL ? device : NULL;
}

/* The number of restores that `agpu vdev --save-restore` writes to its ready descriptor when it ends, with a key. A
 * plug-in can write to every descriptor of its process, but it does not know the key: the tool reads the key from the
 * descriptor before it loads the plug-in. */
struct agpu_output_restores {
    uint64_t key, count;
};

/* Opens the ready descriptor: ends[0] stays here, ends[1] is for the child. If keyed, the child must read the key. */
static inline bool agpu_output_open_ready(int ends[2], uint64_t *key, bool keyed)
{
    if (!keyed) {
        return pipe2(ends, O_CLOEXEC) == 0;
    }
    return getrandom(key, sizeof *key, 0) == (ssize_t)sizeof *key &&
           socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 &&
           write(ends[0], key, sizeof *key) == (ssize_t)sizeof *key;
}

/* Returns the number of restores; 0 when the process has not written it, or anything before it. */
static inline uint64_t agpu_output_restores(int fd, uint64_t key)
{
    struct agpu_output_restores restores;

    return recv(fd, &restores, sizeof restores, MSG_DONTWAIT) == (ssize_t)sizeof restores &&
                   restores.key == key
               ? restores.count
               : 0;
}

/* Returns true for a line about a call that a plug-in must not make (refusal.h). */
static inline bool agpu_output_is_breach(const char *line, size_t length)
{
    return memmem(line, length, " breaks the contract of agpu_device_plugin.h: ", 46) != NULL;
}

/* Copies a line, escaped for a terminal: the names in it came from a plug-in. */
static inline void agpu_output_copy(char *words, size_t size, const char *line, size_t length)
{
    size_t i;

    for (i = 0; i < length && i + 1 < size; i++) {
        words[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
    }
    words[i] = '\0';
}

/* Collects in words the guard's last report of a crash or hang, and the panic in front of it. A panic is the line in
 * which a C assertion, a sanitizer or a Rust panic names its place; Rust's message is the next line. words is "" at
 * first. */
static inline void agpu_output_take(char *words, size_t size, const char *line, size_t length)
{
    const size_t used = strlen(words);
    const bool guarded = agpu_output_is_guard(words, used);

    if (agpu_output_is_guard(line, length)) {
        const size_t moved = length + 2 < size ? length + 2 : size - 1;
        const size_t room = size - 1 - moved, kept = guarded ? 0 : used < room ? used : room;

        memmove(words + moved, words, kept);
        agpu_output_copy(words, size, line, length);
        if (kept != 0) {
            memcpy(words + length, "; ", 2);
            words[moved + kept] = '\0';
        }
    } else if (!guarded && (memmem(line, length, "panicked at ", 12) != NULL ||
                            memmem(line, length, "Assertion `", 11) != NULL ||
                            memmem(line, length, "SUMMARY: ", 9) != NULL)) {
        agpu_output_copy(words, size, line, length);
    } else if (!guarded && used != 0 && words[used - 1] == ':' && used + 1 < size) {
        words[used] = ' ';
        agpu_output_copy(words + used + 1, size - used - 1, line, length);
    }
}

/* Returns the reason why the program ended: the guard's last report of a crash or hang; else the first line that is
 * not its log ("[ 12.345] ...", and in the process of a tool "device: ..."); else the first line. Cuts text into
 * lines; "" when it has none. words has room for the report, with its panic. */
static inline const char *agpu_output_reason(char *text, char *words, size_t size)
{
    const char *first = "", *other = "";
    bool guard = false;

    words[0] = '\0';
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        const bool log = *line == '[' || strncmp(line, "device: ", 8) == 0;

        first = *first == '\0' ? line : first;
        other = *other == '\0' && !log ? line : other;
        guard = agpu_output_is_guard(line, strlen(line)) || guard;
        agpu_output_take(words, size, line, strlen(line));
    }
    return guard ? words : *other != '\0' ? other : first;
}

#endif
