/* again.h: the words that repeat a run, or one case of it. */
#ifndef AGPU_HOST_RUN_AGAIN_H
#define AGPU_HOST_RUN_AGAIN_H

#include "tests/host/run/run_options.h"

/* What a run that repeats another makes of an option. One without a kind is the other run's. */
enum {
    AGPU_AGAIN_CHOOSES = 1, /* which cases, and where the results go: it is never repeated */
    AGPU_AGAIN_WRITES = 2,  /* a further file: it is not repeated */
    AGPU_AGAIN_TOOL =
        4, /* with what the run is made, not what is tested: it is repeated unless it is given anew */
    AGPU_AGAIN_FILE = 8, /* its value begins with the name of a file */
};
unsigned agpu_again_kind(const char *name);

/* The run's own command with "{case}" where its choice of cases stood, for agpu_report's again: what tests/run says in
 * $AGPU_RUN_AGAIN, else from the words of the command line that options was made from. malloc'd, quoted for a shell; NULL
 * when memory is exhausted. */
char *agpu_again(int argc, char **argv);

/* The words that make a run on the same device and machine wherever they are given: files by their whole names, programs
 * that the environment named by options. NULL at the end, all from malloc (agpu_words_free()); NULL when memory is exhausted. */
char **agpu_again_words(int argc, char **argv, const struct agpu_run_options *options);
void agpu_words_free(char **words);

/* "--option", "value" or "--option=value" at the end of words that have *count; false when memory is exhausted. whole: a file by
 * its whole name. */
bool agpu_again_add(char ***words, size_t *count, const struct agpu_run_word *word, bool whole);

/* Words as one line for a shell, malloc'd; NULL when memory is exhausted. */
char *agpu_shell_line(char *const *words);

#endif
