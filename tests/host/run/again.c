/* again.c: the command line that repeats a run, or one case of it (again.h). */
#include "tests/host/run/again.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void quote_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            fputs("'\\''", out);
        } else {
            putc(*word, out);
        }
    }
    putc('\'', out);
}

char *agpu_shell_line(char *const *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        return NULL;
    }
    for (size_t i = 0; words[i] != NULL; i++) {
        if (i > 0) {
            putc(' ', out);
        }
        quote_word(out, words[i]);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

unsigned agpu_again_kind(const char *name)
{
    static const struct {
        const char *name;
        unsigned kind;
    } kinds[] = {
        {"", AGPU_AGAIN_CHOOSES},
        {"explore", AGPU_AGAIN_CHOOSES},
        {"failed-from", AGPU_AGAIN_CHOOSES},
        {"filter", AGPU_AGAIN_CHOOSES},
        {"out", AGPU_AGAIN_CHOOSES},
        {"results", AGPU_AGAIN_CHOOSES},
        {"shard", AGPU_AGAIN_CHOOSES},
        {"tag", AGPU_AGAIN_CHOOSES},
        {"trace", AGPU_AGAIN_CHOOSES},
        {"until-failure", AGPU_AGAIN_CHOOSES},
        {"color", AGPU_AGAIN_WRITES},
        {"control", AGPU_AGAIN_WRITES},
        {"device-capture", AGPU_AGAIN_WRITES},
        {"keep", AGPU_AGAIN_WRITES},
        {"screenshot", AGPU_AGAIN_WRITES},
        {"submission-log", AGPU_AGAIN_WRITES},
        {"capture", AGPU_AGAIN_TOOL},
        {"image", AGPU_AGAIN_TOOL | AGPU_AGAIN_FILE},
        {"ovmf-code", AGPU_AGAIN_TOOL | AGPU_AGAIN_FILE},
        {"ovmf-vars", AGPU_AGAIN_TOOL | AGPU_AGAIN_FILE},
        {"qemu", AGPU_AGAIN_TOOL | AGPU_AGAIN_FILE},
        {"device", AGPU_AGAIN_FILE},
        {"key", AGPU_AGAIN_FILE},
        {"quarantine", AGPU_AGAIN_FILE},
        {"replay", AGPU_AGAIN_FILE},
        {"vdev", AGPU_AGAIN_FILE},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(name, kinds[i].name) == 0) {
            return kinds[i].kind;
        }
    }
    return 0;
}

/* Appends text, which is NULL when memory was exhausted. */
static bool push(char ***words, size_t *count, char *text)
{
    char **grown = text != NULL ? realloc(*words, (*count + 2) * sizeof *grown) : NULL;

    if (grown == NULL) {
        free(text);
        return false;
    }
    *words = grown;
    grown[(*count)++] = text;
    grown[*count] = NULL;
    return true;
}

/* Returns the value with an absolute path for its file, after which options may follow a comma; unchanged when there
 * is no such file here. A program without a slash is looked up in PATH. */
static char *whole_value(const struct agpu_run_word *word)
{
    const bool program = strcmp(word->name, "qemu") == 0 || strcmp(word->name, "vdev") == 0;
    const size_t length = strcmp(word->name, "device") == 0 ? strcspn(word->value, ",") : strlen(word->value);
    char name[PATH_MAX], path[PATH_MAX], *text = NULL;

    snprintf(name, sizeof name, "%.*s", (int)length, word->value);
    if ((program && strchr(name, '/') == NULL) || realpath(name, path) == NULL) {
        return strdup(word->value);
    }
    return asprintf(&text, "%s%s", path, word->value + length) >= 0 ? text : NULL;
}

bool agpu_again_add(char ***words, size_t *count, const struct agpu_run_word *word, bool whole)
{
    const bool file = whole && word->value != NULL && (agpu_again_kind(word->name) & AGPU_AGAIN_FILE) != 0;
    char *value = file ? whole_value(word) : word->value != NULL ? strdup(word->value) : NULL;
    char *text = NULL;

    if (word->name[0] == '\0') {
        return push(words, count, value);
    }
    if (asprintf(&text, "--%s%s%s", word->name, word->joined && value != NULL ? "=" : "",
                 word->joined && value != NULL ? value : "") < 0 ||
        !push(words, count, text)) {
        free(value);
        return false;
    }
    if (word->value == NULL || word->joined) {
        free(value);
        return true;
    }
    return push(words, count, value);
}

void agpu_words_free(char **words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        free(words[i]);
    }
    free(words);
}

/* Returns the options of the command line except some kinds, and the arguments after "--". more: options to add
 * unless already present. */
static char **collect(int argc, char **argv, unsigned without, const struct agpu_run_word *more,
                      size_t more_count)
{
    char **words = calloc(1, sizeof *words);
    size_t given_count = 0, count = 0;
    int rest = argc;
    struct agpu_run_word *given = agpu_run_words(argc, argv, &given_count, &rest);
    bool good = words != NULL && given != NULL;

    for (size_t i = 0; good && i < given_count; i++) {
        good = (agpu_again_kind(given[i].name) & without) != 0 ||
               agpu_again_add(&words, &count, &given[i], more != NULL);
    }
    for (size_t i = 0; good && i < more_count; i++) {
        bool there = false;

        for (size_t k = 0; k < given_count; k++) {
            there = there || strcmp(given[k].name, more[i].name) == 0;
        }
        good = there || agpu_again_add(&words, &count, &more[i], true);
    }
    if (good && rest < argc) {
        good = push(&words, &count, strdup("--"));
    }
    for (; good && rest < argc; rest++) {
        good = push(&words, &count, strdup(argv[rest]));
    }
    free(given);
    if (!good) {
        agpu_words_free(words);
        return NULL;
    }
    return words;
}

char *agpu_again(int argc, char **argv)
{
    const char *given = getenv("AGPU_RUN_AGAIN");
    char *line = NULL, *text = NULL;

    if (given != NULL && *given != '\0') {
        return strdup(given);
    }
    char **words = collect(argc, argv, AGPU_AGAIN_CHOOSES, NULL, 0);
    line = words != NULL ? agpu_shell_line(words) : NULL;
    if (line == NULL || asprintf(&text, "agpu run {case}%s%s", *line != '\0' ? " " : "", line) < 0) {
        text = NULL;
    }
    free(line);
    agpu_words_free(words);
    return text;
}

char **agpu_again_words(int argc, char **argv, const struct agpu_run_options *options)
{
    const struct agpu_run_word programs[] = {{"image", options->image, false},
                                             {"qemu", options->qemu, false},
                                             {"ovmf-code", options->ovmf_code, false},
                                             {"ovmf-vars", options->ovmf_vars, false}};

    return collect(argc, argv, AGPU_AGAIN_CHOOSES | AGPU_AGAIN_WRITES, programs,
                   sizeof programs / sizeof programs[0]);
}
