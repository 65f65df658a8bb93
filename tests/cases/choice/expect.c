/* expect.c: compares the ABI of a device with the ABI that expect= states. */
#include "tests/cases/choice/expect.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

static const char legacy[] = "legacy";

static bool minor_of(const char *text, size_t length, unsigned *out)
{
    *out = 0;
    for (size_t i = 2; i < length && text[i] >= '0' && text[i] <= '9' && i < 7; i++) {
        *out = *out * 10 + (unsigned)(text[i] - '0');
        if (i + 1 == length) {
            return memcmp(text, "1.", 2) == 0;
        }
    }
    return false;
}

/* Checks one word, without its comma. */
static bool word_is_good(const char *word, size_t length)
{
    unsigned minor;

    if (length == 3 && memcmp(word, "any", 3) == 0) {
        return true;
    }
    if (length < 4 || memcmp(word, "abi=", 4) != 0) {
        return false;
    }
    return (length - 4 == sizeof legacy - 1 && memcmp(word + 4, legacy, length - 4) == 0) ||
           (minor_of(word + 4, length - 4, &minor) && minor <= AEROGPU_ABI_MINOR);
}

static size_t word_length(const char *words, size_t length)
{
    size_t size = 0;

    while (size < length && words[size] != ',') {
        size++;
    }
    return size;
}

bool agpu_expect_check(const char *words, size_t length)
{
    for (;;) {
        const size_t size = word_length(words, length);

        if (!word_is_good(words, size)) {
            return false;
        }
        if (size == length) {
            return true;
        }
        words += size + 1;
        length -= size + 1;
    }
}

unsigned agpu_expect_count(const char *words)
{
    unsigned count = 1;

    for (; *words != '\0'; words++) {
        count += *words == ',';
    }
    return count;
}

void agpu_expect_of(const char *words, unsigned function, char out[AGPU_EXPECT_MAX])
{
    size_t length, size;

    if (words == NULL || *words == '\0') {
        words = "any";
    }
    length = strlen(words);
    size = word_length(words, length);
    while (function-- != 0 && size != length) {
        words += size + 1;
        length -= size + 1;
        size = word_length(words, length);
    }
    size = size < AGPU_EXPECT_MAX ? size : AGPU_EXPECT_MAX - 1;
    memcpy(out, words, size);
    out[size] = '\0';
}

void agpu_expect_of_model(const char *abi, char out[AGPU_EXPECT_MAX])
{
    static const char newest[] = {'1', '.', '0' + AEROGPU_ABI_MINOR, '\0'};
    size_t length = 0;

    if (abi == NULL) {
        abi = newest;
    }
    memcpy(out, "abi=", 4);
    while (length + 5 < AGPU_EXPECT_MAX && abi[length] != '\0' && abi[length] != '-' && abi[length] != ',') {
        out[4 + length] = abi[length];
        length++;
    }
    out[4 + length] = '\0';
}

void agpu_expect_of_device(const char *device, char out[AGPU_EXPECT_MAX])
{
    const char *abi = NULL;

    if (device != NULL && (strncmp(device, "model", 5) != 0 || (device[5] != '\0' && device[5] != ','))) {
        agpu_expect_of(NULL, 0, out);
        return;
    }
    for (; device != NULL && *device != '\0'; device++) {
        if (strncmp(device, ",abi=", 5) == 0) {
            abi = device + 5;
        }
    }
    agpu_expect_of_model(abi, out);
}

bool agpu_expect_states(const char *word)
{
    return strncmp(word, "abi=", 4) == 0;
}

enum agpu_expect_verdict agpu_expect_judge(const char *word, const char *abi)
{
    unsigned minor;

    if (abi == NULL || *abi == '\0') {
        return agpu_expect_states(word) ? AGPU_EXPECT_WRONG : AGPU_EXPECT_MET;
    }
    if (agpu_expect_states(word)) {
        const bool met = strcmp(word + 4, legacy) == 0 ? strncmp(abi, legacy, sizeof legacy - 1) == 0
                                                       : strcmp(word + 4, abi) == 0;

        return met ? AGPU_EXPECT_MET : AGPU_EXPECT_WRONG;
    }
    return minor_of(abi, strlen(abi), &minor) && minor >= AEROGPU_ABI_MINOR ? AGPU_EXPECT_MET
                                                                            : AGPU_EXPECT_UNSTATED;
}
