/* again.h: the command line that repeats a run, or one case of it. */
#ifndef AGPU_HOST_RUN_AGAIN_H
#define AGPU_HOST_RUN_AGAIN_H

#include "tests/host/run/run_options.h"

/* Treatment of an option by a run that repeats another. An option without a kind is taken from the earlier run. */
enum {
    AGPU_AGAIN_CHOOSES = 1, /* selects cases, or the place of the results: never repeated */
    AGPU_AGAIN_WRITES = 2,  /* writes a further file: not repeated */
    AGPU_AGAIN_TOOL = 4,    /* concerns the tools, not the test subject: repeated unless given anew */
    AGPU_AGAIN_FILE = 8,    /* its value starts with the name of a file */
};
unsigned agpu_again_kind(const char *name);

/* Returns the run's own command with "{case}" in place of its choice of cases, for agpu_report.again: from
 * $AGPU_RUN_AGAIN, which tests/run sets, else from the command line that options was made from. malloc'd, quoted for
 * a shell; NULL when memory is exhausted. */
char *agpu_again(int argc, char **argv);

/* Returns the arguments that repeat the run on the same device and machine from any directory: absolute paths for
 * files, and options for programs that the environment named. NULL at the end, all malloc'd (agpu_words_free());
 * NULL when memory is exhausted. */
char **agpu_again_words(int argc, char **argv, const struct agpu_run_options *options);
void agpu_words_free(char **words);

/* Appends "--option", "value" or "--option=value" to words, which has *count entries; returns false when memory is
 * exhausted. whole: makes the path of a file absolute. */
bool agpu_again_add(char ***words, size_t *count, const struct agpu_run_word *word, bool whole);

/* Returns words as one line for a shell, malloc'd; NULL when memory is exhausted. */
char *agpu_shell_line(char *const *words);

#endif
