/* request.c: parses a verb of one or two words, and its operands. */
#include "efi/control/request.h"

#include <string.h>

/* takes: n a number, N an optional number, g globs. */
static const struct {
    const char *name, *takes, *expected;
} verbs[AGPU_CTL_VERBS] = {
    [AGPU_CTL_ID] = {"id", "", "expected id alone"},
    [AGPU_CTL_STATUS] = {"status", "", "expected status alone"},
    [AGPU_CTL_REG_READ] = {"reg read", "nN", "expected reg read OFFSET [WIDTH]"},
    [AGPU_CTL_REG_WRITE] = {"reg write", "nn", "expected reg write OFFSET VALUE"},
    [AGPU_CTL_RING] = {"ring", "", "expected ring alone"},
    [AGPU_CTL_RING_UP] = {"ring up", "", "expected ring up alone"},
    [AGPU_CTL_MEM] = {"mem", "", "expected mem alone"},
    [AGPU_CTL_MEM_READ] = {"mem read", "nn", "expected mem read ADDRESS SIZE"},
    [AGPU_CTL_CASES] = {"cases", "gN", "expected cases GLOBS [FROM]"},
    [AGPU_CTL_RUN] = {"run", "g", "expected run GLOBS"},
    [AGPU_CTL_SUBMIT] = {"submit", "N", "expected submit [FLAGS]"},
    [AGPU_CTL_GO] = {"go", "", "expected go alone"},
    [AGPU_CTL_STOP] = {"stop", "", "expected stop alone"},
    [AGPU_CTL_QUIT] = {"quit", "", "expected quit alone"},
    [AGPU_CTL_REBOOT] = {"reboot", "", "expected reboot alone"},
};

struct word_cursor {
    const char *at, *end;
};

static bool next_word(struct word_cursor *words, const char **word, size_t *size)
{
    while (words->at < words->end && *words->at == ' ') {
        words->at++;
    }
    *word = words->at;
    while (words->at < words->end && *words->at != ' ') {
        words->at++;
    }
    *size = (size_t)(words->at - *word);
    return *size != 0;
}

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

static bool read_number(const char *word, size_t size, uint64_t *out)
{
    const unsigned base = size > 2 && word[0] == '0' && word[1] == 'x' ? 16 : 10;

    *out = 0;
    for (size_t i = base == 16 ? 2 : 0; i < size; i++) {
        const unsigned digit = digit_of(word[i]);

        if (digit >= base || *out > (UINT64_MAX - digit) / base) {
            return false;
        }
        *out = *out * base + digit;
    }
    return true;
}

static bool is_glob_text(const char *word, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (word[i] <= ' ' || word[i] > '~') {
            return false;
        }
    }
    return size <= AGPU_CTL_GLOBS_MAX;
}

/* Reads the words after the verb. */
static const char *read_operands(struct word_cursor words, enum agpu_ctl_verb verb,
                                 struct agpu_ctl_words *out)
{
    const char *word;
    size_t size;

    *out = (struct agpu_ctl_words){.verb = verb};
    for (const char *kind = verbs[verb].takes; *kind != '\0'; kind++) {
        if (!next_word(&words, &word, &size)) {
            return *kind == 'N' ? NULL : verbs[verb].expected;
        }
        if (*kind == 'g') {
            if (!is_glob_text(word, size)) {
                return "expected globs over ids of cases, at most 200 characters";
            }
            memcpy(out->globs, word, size);
        } else if (!read_number(word, size, &out->number[out->count++])) {
            return "expected a number, decimal or 0x and hexadecimal, of 64 bits at most";
        }
    }
    return next_word(&words, &word, &size) ? verbs[verb].expected : NULL;
}

/* True when the text starts with the words of the verb; words is then after them. */
static bool begins_with(struct word_cursor *words, const char *name)
{
    const char *word;
    size_t size;

    while (*name != '\0') {
        size_t length = 0;

        while (name[length] != '\0' && name[length] != ' ') {
            length++;
        }
        if (!next_word(words, &word, &size) || size != length || memcmp(word, name, length) != 0) {
            return false;
        }
        name += length;
        name += *name == ' ';
    }
    return true;
}

const char *agpu_ctl_read(const char *text, size_t size, struct agpu_ctl_words *out)
{
    /* Searches backwards: a longer name with the same first word comes after the shorter one. */
    for (int verb = AGPU_CTL_VERBS - 1; verb >= 0; verb--) {
        struct word_cursor words = {text, text + size};

        if (begins_with(&words, verbs[verb].name)) {
            return read_operands(words, (enum agpu_ctl_verb)verb, out);
        }
    }
    return "no such command; expected id, status, reg, ring, mem, cases, run, submit, go, stop, "
           "quit or reboot";
}
