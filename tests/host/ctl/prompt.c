/* prompt.c: libedit's readline, completion of commands, registers and allocations, and a history file. */
#include "tests/host/ctl/prompt.h"

#include <editline/readline.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/ctl/registers.h"

#define WORDS_MAX   70
#define HISTORY_MAX 1000

/* libedit requests one match after the other. */
static struct {
    const struct agpu_ctl_session_state *session;
    char *found[512];
    size_t count, next;
    const char *text;
} matches;

static void add_match(const char *word)
{
    if (strncmp(word, matches.text, strlen(matches.text)) != 0) {
        return;
    }
    for (size_t i = 0; i < matches.count; i++) {
        if (strcmp(matches.found[i], word) == 0) {
            return;
        }
    }
    if (matches.count < sizeof matches.found / sizeof matches.found[0]) {
        char *copy = strdup(word);

        if (copy != NULL) {
            matches.found[matches.count++] = copy;
        }
    }
}

static void add_register(void *ctx, const char *name, uint32_t offset, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    add_match(name);
}

/* Completes first words; after one of those, second words; after `reg read` and the like, registers. */
static void find_matches(const char *line, size_t start)
{
    char before[64];
    const char *name;

    snprintf(before, sizeof before, "%.*s", (int)(start < sizeof before ? start : sizeof before - 1), line);
    for (size_t i = 0; (name = agpu_ctl_command_name(i)) != NULL; i++) {
        const char *blank = strchr(name, ' ');
        char first[32];

        snprintf(first, sizeof first, "%.*s", blank != NULL ? (int)(blank - name) : (int)strlen(name), name);
        if (before[0] == '\0') {
            add_match(first);
        } else if (blank != NULL && strncmp(before, name, (size_t)(blank + 1 - name)) == 0 &&
                   before[blank + 1 - name] == '\0') {
            add_match(blank + 1);
        }
    }
    if (strncmp(before, "reg ", 4) == 0 && strchr(before + 4, ' ') != NULL) {
        agpu_ctl_register_list(matches.session->generation_known && matches.session->legacy, add_register,
                               NULL);
    }
    if (before[0] == '\0') {
        add_match("exit");
    }
}

static char *next_match(const char *text, int state)
{
    (void)text, (void)state;
    return matches.next < matches.count ? matches.found[matches.next++] : NULL;
}

static char **complete_word(const char *text, int start, int end)
{
    (void)end;
    matches.text = text;
    matches.count = matches.next = 0;
    find_matches(rl_line_buffer, (size_t)start);
    rl_attempted_completion_over = 1; /* no file names */
    return matches.count != 0 ? rl_completion_matches(text, next_match) : NULL;
}

static bool history_file(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state != NULL && state[0] == '/') {
        return snprintf(path, size, "%s/agpu-ctl-history", state) < (int)size;
    }
    return home != NULL && home[0] == '/' && snprintf(path, size, "%s/.agpu-ctl-history", home) < (int)size;
}

static char *read_plain(void)
{
    char *line = NULL;
    size_t size = 0;
    const ssize_t length = getline(&line, &size, stdin);

    if (length < 0) {
        free(line);
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* Splits at blanks. */
static int split_line(char *line, char **words)
{
    int count = 0;

    for (char *rest = line, *word; count < WORDS_MAX && (word = strtok_r(rest, " \t", &rest)) != NULL;) {
        words[count++] = word;
    }
    return count;
}

/* Returns false at the end. */
static bool take_line(struct agpu_ctl_session_state *session, char *line, enum agpu_ctl_outcome *worst)
{
    char *words[WORDS_MAX];
    const int count = split_line(line, words);
    enum agpu_ctl_outcome outcome;

    if (count == 0 || words[0][0] == '#') {
        return true;
    }
    if (strcmp(words[0], "exit") == 0) {
        return false;
    }
    outcome = agpu_ctl_command(session, count, words);
    *worst = outcome > *worst ? outcome : *worst;
    return strcmp(words[0], "quit") != 0 && strcmp(words[0], "reboot") != 0;
}

enum agpu_ctl_outcome agpu_ctl_prompt(struct agpu_ctl_session_state *session)
{
    const bool person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    enum agpu_ctl_outcome worst = AGPU_CTL_DONE;
    char path[4096], prompt[280];
    bool more = true;

    snprintf(prompt, sizeof prompt, "%s> ", session->options.target.name);
    matches.session = session;
    if (person) {
        rl_readline_name = "agpu";
        rl_attempted_completion_function = complete_word;
        using_history();
        stifle_history(HISTORY_MAX);
        if (history_file(path, sizeof path)) {
            read_history(path);
        }
    }
    while (more) {
        char *line = person ? readline(prompt) : read_plain();

        if (line == NULL) {
            break;
        }
        if (person && line[0] != '\0') {
            add_history(line);
        }
        more = take_line(session, line, &worst);
        free(line);
    }
    if (person && history_file(path, sizeof path)) {
        const mode_t mask = umask(077);

        write_history(path);
        umask(mask);
    }
    return worst;
}
