/* again.c: the command that repeats one case of a run (again.h). */
#include "tests/host/run/again.h"

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

/* Options that say which cases, and where the results go. 0: none of them; 1: with its value in the word; 2: the value is the
 * next word. */
static int chooses_cases(const char *word)
{
    static const char *const options[] = {"--filter",      "--trace", "--out",  "--results",
                                          "--failed-from", "--tag",   "--shard"};

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const size_t length = strlen(options[i]);

        if (strncmp(word, options[i], length) == 0 && (word[length] == '\0' || word[length] == '=')) {
            return word[length] == '=' ? 1 : 2;
        }
    }
    return strcmp(word, "--until-failure") == 0 ? 1 : 0;
}

static bool is_bare(const struct agpu_run_options *options, const char *word)
{
    for (size_t i = 0; i < options->bare_count; i++) {
        if (options->bare[i] == word) {
            return true;
        }
    }
    return false;
}

char *agpu_again(int argc, char *const *argv, const struct agpu_run_options *options)
{
    const char *given = getenv("AGPU_RUN_AGAIN");
    char *text = NULL;
    size_t size = 0;
    FILE *out;

    if (given != NULL && *given != '\0') {
        return strdup(given);
    }
    out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    fputs("agpu run {case}", out);
    for (int i = 1; i < argc; i++) {
        const int words = is_bare(options, argv[i]) ? 1 : chooses_cases(argv[i]);

        if (words != 0) {
            i += words - 1;
            continue;
        }
        putc(' ', out);
        quote_word(out, argv[i]);
        if (strcmp(argv[i], "--") == 0) {
            for (i++; i < argc; i++) {
                putc(' ', out);
                quote_word(out, argv[i]);
            }
        }
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
