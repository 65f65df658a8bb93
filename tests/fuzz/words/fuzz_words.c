/* fuzz_words.c: fuzz target of load options, DHCP packets and URIs. The first byte of an input selects one for
 * the rest. */
#include <stdlib.h>
#include <string.h>

#include "efi/dhcp_packet.h"
#include "efi/uri.h"
#include "efi/words.h"
#include "tests/fuzz/fuzz.h"

#define OPTIONS_AT 240

static void check(int holds)
{
    if (!holds) {
        abort();
    }
}

/* Checks lines for agpu.cfg: plain text, no empty lines, the last one terminated. */
static void check_lines(const char *lines, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        check(lines[i] == '\n' || lines[i] == '\t' || (lines[i] >= ' ' && lines[i] <= '~'));
        check(lines[i] != '"');
        check(lines[i] != '\n' || (i != 0 && lines[i - 1] != '\n'));
    }
    check(size == 0 || lines[size - 1] == '\n');
}

static void read_options(const uint8_t *data, size_t size)
{
    char *out = malloc(AGPU_WORDS_MAX + 1);
    size_t length;

    if (out != NULL && agpu_words_of_load_options(data, size, out, &length)) {
        check(length <= size / 2 + 1);
        check_lines(out, length);
    }
    free(out);
}

/* An option is never longer than the packet, and a shorter buffer gets its beginning. */
static void read_packet(const uint8_t *data, size_t size, uint8_t number)
{
    uint8_t *all = malloc(size + 1), *some = malloc(size + 1);
    char *out = malloc(AGPU_WORDS_MAX + 1);
    size_t length;

    if (all != NULL && some != NULL && out != NULL) {
        const size_t used = agpu_dhcp_option(data, size, number, all, size);
        const size_t half = agpu_dhcp_option(data, size, number, some, used / 2);

        check(used == 0 || used + OPTIONS_AT + 2 <= size);
        check(half == used / 2 && memcmp(all, some, half) == 0);
        if (agpu_words_of_dhcp(data, size, out, &length)) {
            check(length <= size + 1);
            check_lines(out, length);
        }
    }
    free(all);
    free(some);
    free(out);
}

/* A URI's directory is the beginning of the URI (apart from the slash), and is its own directory. */
static void read_uri(const char *uri, size_t size, size_t max)
{
    char *out = malloc(max), *again = malloc(max);

    if (out != NULL && again != NULL && agpu_uri_folder(uri, size, out, max)) {
        const size_t length = strlen(out);

        check(length < max && length >= sizeof "http://h/" - 1 && out[length - 1] == '/');
        check(length <= size + 1 && memcmp(uri, out, length - 1) == 0);
        check(agpu_uri_folder(out, length, again, max) && strcmp(out, again) == 0);
    }
    if (out != NULL && agpu_uri_host(uri, size, out, max)) {
        check(*out != '\0' && strpbrk(out, "/?#@") == NULL);
    }
    free(out);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *exact;

    if (size < 2) {
        return 0;
    }
    exact = malloc(size - 1); /* exactly as large, so that a read past the end is detected */
    if (exact != NULL) {
        memcpy(exact, data + 1, size - 1);
        if (data[0] % 3 == 0) {
            read_options(exact, size - 1);
        } else if (data[0] % 3 == 1) {
            read_packet(exact, size - 1, data[0] < 128 ? AGPU_DHCP_CONFIG : AGPU_DHCP_BOOT_FILE);
        } else {
            read_uri((const char *)exact, size - 1, 1 + data[0]);
        }
    }
    free(exact);
    return 0;
}
