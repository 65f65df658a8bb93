/* commands.c: one function per command. */
#include "tests/host/ctl/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tests/host/ctl/registers.h"
#include "tests/host/ctl/rows.h"
#include "tests/host/json_out.h"
#include "tests/host/monotonic.h"
#include "tests/host/report/text.h"

#define RUN_TIMEOUT_MS 120000u /* time limit without the end of a case */
#define HEX                                                                                                  \
    " offset value address features completed_fence submitted_fence fence_page error_fence irq_status "      \
    "irq_enable control "
#define DUMP_MAX (64u << 20)

static enum agpu_ctl_outcome wrong(const char *text)
{
    fprintf(stderr, "agpu ctl: %s\n", text);
    return AGPU_CTL_MISUSED;
}

/* Prints text from a peer that is possibly not authenticated. */
static void complain(const char *about, const char *who, const char *text)
{
    fprintf(stderr, "agpu ctl: %s%s%s", about, who, *who != '\0' ? ": " : "");
    agpu_text_write_line(stderr, text, strlen(text));
    putc('\n', stderr);
}

static void forget_note(void *ctx, const char *text, size_t size)
{
    (void)ctx, (void)text, (void)size;
}

static void show_note(void *ctx, const char *text, size_t size)
{
    agpu_ctl_note_print(text, size, ctx);
}

/* ---- asking ---- */

static enum agpu_ctl_outcome connect_to_image(struct agpu_ctl_session_state *s)
{
    const char *failed;

    if (s->connected) {
        return AGPU_CTL_DONE;
    }
    failed = agpu_ctl_link_open(&s->link, &s->options.target);
    if (failed != NULL) {
        complain("no connection to ", s->options.target.name, failed);
        return AGPU_CTL_BROKEN;
    }
    s->connected = true;
    s->generation_known = false;
    return AGPU_CTL_DONE;
}

static enum agpu_ctl_outcome ask_with(struct agpu_ctl_session_state *s, const char *text, const void *bytes,
                                      size_t size, unsigned timeout_ms, FILE *notes)
{
    enum agpu_ctl_outcome outcome = connect_to_image(s);
    const char *failed;

    if (outcome != AGPU_CTL_DONE) {
        return outcome;
    }
    failed = agpu_ctl_link_ask(&s->link, text, bytes, size, timeout_ms,
                               notes != NULL ? show_note : forget_note, notes);
    if (failed != NULL) {
        s->connected = false;
        complain("", s->options.target.name, failed);
        return AGPU_CTL_BROKEN;
    }
    if (!s->link.client.good) {
        complain("", "", s->link.client.text);
        return AGPU_CTL_REFUSED;
    }
    return AGPU_CTL_DONE;
}

static enum agpu_ctl_outcome ask(struct agpu_ctl_session_state *s, const char *text)
{
    return ask_with(s, text, NULL, 0, s->options.target.timeout_ms, NULL);
}

/* Parses the rows of the answer, and adds them. */
static enum agpu_ctl_outcome take_rows(const struct agpu_ctl_session_state *s, json_t *rows)
{
    if (!agpu_ctl_rows_read(s->link.client.text, s->link.client.text_size, rows)) {
        fputs("agpu ctl: the answer has an unexpected format: use image and agpu of one build\n", stderr);
        return AGPU_CTL_REFUSED;
    }
    return AGPU_CTL_DONE;
}

/* Prints one object, or a list. */
static void show(const struct agpu_ctl_session_state *s, json_t *rows, bool list)
{
    size_t i;
    json_t *row;

    if (!s->options.json) {
        agpu_ctl_rows_print(rows, HEX, stdout);
    } else {
        json_array_foreach(rows, i, row)
        {
            json_object_del(row, "row");
        }
        agpu_json_out(list ? rows : json_array_get(rows, 0), stdout, JSON_COMPACT);
        putchar('\n');
    }
    fflush(stdout);
}

static enum agpu_ctl_outcome ask_and_show(struct agpu_ctl_session_state *s, const char *text, bool list)
{
    json_t *rows = json_array();
    enum agpu_ctl_outcome outcome = ask(s, text);

    if (outcome == AGPU_CTL_DONE) {
        outcome = take_rows(s, rows);
    }
    if (outcome == AGPU_CTL_DONE) {
        show(s, rows, list);
    }
    json_decref(rows);
    return outcome;
}

/* ---- registers ---- */

static enum agpu_ctl_outcome know_generation(struct agpu_ctl_session_state *s)
{
    enum agpu_ctl_outcome outcome;

    if (s->connected && s->generation_known) {
        return AGPU_CTL_DONE;
    }
    outcome = ask(s, "id");
    if (outcome == AGPU_CTL_DONE) {
        s->legacy = strstr(s->link.client.text, " generation=legacy") != NULL;
        s->generation_known = true;
    }
    return outcome;
}

static enum agpu_ctl_outcome find_register(struct agpu_ctl_session_state *s, const char *word,
                                           struct agpu_ctl_register *out)
{
    const enum agpu_ctl_outcome outcome = know_generation(s);

    if (outcome == AGPU_CTL_DONE && !agpu_ctl_register_find(word, s->legacy, out)) {
        fprintf(stderr, "agpu ctl: no register %.100s: reg list names all\n", word);
        return AGPU_CTL_MISUSED;
    }
    return outcome;
}

/* Adds the row of a register, with its name in front. */
static enum agpu_ctl_outcome read_register(struct agpu_ctl_session_state *s, const char *word, json_t *rows)
{
    struct agpu_ctl_register reg;
    enum agpu_ctl_outcome outcome = find_register(s, word, &reg);
    const char *name;
    char text[80];
    json_t *read, *row;

    if (outcome != AGPU_CTL_DONE) {
        return outcome;
    }
    snprintf(text, sizeof text, "reg read 0x%" PRIx32 " %u", reg.offset, reg.width);
    outcome = ask(s, text);
    read = json_array();
    if (outcome == AGPU_CTL_DONE) {
        outcome = take_rows(s, read);
    }
    if (outcome == AGPU_CTL_DONE) {
        name = word[0] >= '0' && word[0] <= '9' ? agpu_ctl_register_name(reg.offset, s->legacy) : word;
        row = json_pack("{s:s}", "name", name != NULL ? name : word);
        json_object_update(row, json_array_get(read, 0));
        json_array_append_new(rows, row);
    }
    json_decref(read);
    return outcome;
}

static enum agpu_ctl_outcome reg_read(struct agpu_ctl_session_state *s, int count, char **words)
{
    enum agpu_ctl_outcome outcome = AGPU_CTL_DONE;
    json_t *rows = json_array();

    for (int i = 0; outcome == AGPU_CTL_DONE && i < count; i++) {
        outcome = read_register(s, words[i], rows);
    }
    if (outcome == AGPU_CTL_DONE) {
        show(s, rows, count > 1);
    }
    json_decref(rows);
    return outcome;
}

static enum agpu_ctl_outcome reg_write(struct agpu_ctl_session_state *s, int count, char **words)
{
    struct agpu_ctl_register reg;
    enum agpu_ctl_outcome outcome = find_register(s, words[0], &reg);
    char text[100], *end;

    (void)count;
    if (outcome != AGPU_CTL_DONE) {
        return outcome;
    }
    errno = 0;
    const uint64_t value = strtoull(words[1], &end, 0);
    if (errno != 0 || *end != '\0' || words[1][0] < '0' || words[1][0] > '9') {
        return wrong("expected a number as the value");
    }
    if (reg.width == 8) { /* LO, then HI, which commits the pair (device.md 4.5) */
        snprintf(text, sizeof text, "reg write 0x%" PRIx32 " 0x%" PRIx32, reg.offset, (uint32_t)value);
        outcome = ask(s, text);
        if (outcome != AGPU_CTL_DONE) {
            return outcome;
        }
        snprintf(text, sizeof text, "reg write 0x%" PRIx32 " 0x%" PRIx32, reg.offset + 4,
                 (uint32_t)(value >> 32));
    } else {
        snprintf(text, sizeof text, "reg write 0x%" PRIx32 " 0x%" PRIx64, reg.offset, value);
    }
    return ask_and_show(s, text, false);
}

/* Prints a line whenever the value has changed. */
static enum agpu_ctl_outcome reg_watch(struct agpu_ctl_session_state *s, int count, char **words)
{
    const uint64_t began = agpu_monotonic_ns();
    json_t *before = NULL;
    enum agpu_ctl_outcome outcome = AGPU_CTL_DONE;

    (void)count;
    for (unsigned seen = 0; s->options.changes == 0 || seen <= s->options.changes;) {
        json_t *rows = json_array();

        outcome = read_register(s, words[0], rows);
        if (outcome != AGPU_CTL_DONE) {
            json_decref(rows);
            break;
        }
        json_t *value = json_object_get(json_array_get(rows, 0), "value");
        if (before == NULL || !json_equal(before, value)) {
            json_decref(before);
            before = json_incref(value);
            json_object_set_new(json_array_get(rows, 0), "ms",
                                json_integer((json_int_t)((agpu_monotonic_ns() - began) / 1000000)));
            if (s->options.json) {
                show(s, rows, false);
            } else {
                printf("%8" JSON_INTEGER_FORMAT " ms  ",
                       json_integer_value(json_object_get(json_array_get(rows, 0), "ms")));
                if (json_is_integer(value)) {
                    printf("0x%" PRIx64 "\n", (uint64_t)json_integer_value(value));
                } else {
                    printf("%s\n", json_string_value(value));
                }
            }
            seen++;
        }
        json_decref(rows);
        if (fflush(stdout) != 0) { /* the reader has closed the pipe */
            outcome = AGPU_CTL_BROKEN;
            break;
        }
        poll(NULL, 0, (int)s->options.every_ms);
    }
    json_decref(before);
    return outcome;
}

static void add_register(void *ctx, const char *name, uint32_t offset, unsigned width)
{
    json_array_append_new(
        ctx, json_pack("{s:s,s:i,s:i}", "name", name, "offset", (int)offset, "width", (int)width));
}

static enum agpu_ctl_outcome reg_list(struct agpu_ctl_session_state *s, int count, char **words)
{
    const enum agpu_ctl_outcome outcome = know_generation(s);
    json_t *rows = json_array();

    (void)count, (void)words;
    if (outcome == AGPU_CTL_DONE) {
        agpu_ctl_register_list(s->legacy, add_register, rows);
        show(s, rows, true);
    }
    json_decref(rows);
    return outcome;
}

/* ---- memory ---- */

/* Returns true when the row has this member with this text: a board's answer may lack any member. */
static bool has_text(const json_t *row, const char *member, const char *text)
{
    const char *found = json_string_value(json_object_get(row, member));

    return found != NULL && strcmp(found, text) == 0;
}

/* Returns the address of the named allocation, or the one given in words. */
static enum agpu_ctl_outcome find_memory(struct agpu_ctl_session_state *s, int count, char **words,
                                         uint64_t *address, uint64_t *size)
{
    const bool number = words[0][0] >= '0' && words[0][0] <= '9';
    enum agpu_ctl_outcome outcome = AGPU_CTL_DONE;
    json_t *rows, *row;
    size_t i;

    *address = number ? strtoull(words[0], NULL, 0) : 0;
    *size = 0;
    if (!number) {
        rows = json_array();
        outcome = ask(s, "mem");
        if (outcome == AGPU_CTL_DONE) {
            outcome = take_rows(s, rows);
        }
        json_array_foreach(rows, i, row)
        {
            if (has_text(row, "name", words[0])) {
                *address = (uint64_t)json_integer_value(json_object_get(row, "address"));
                *size = (uint64_t)json_integer_value(json_object_get(row, "size"));
            }
        }
        json_decref(rows);
    }
    if (count > 1) {
        *size = strtoull(words[1], NULL, 0);
    }
    if (outcome == AGPU_CTL_DONE && (*size == 0 || *size > DUMP_MAX)) {
        return wrong("expected mem dump NAME [SIZE] with a NAME that mem lists, or mem dump ADDRESS SIZE");
    }
    return outcome;
}

static void show_bytes(const uint8_t *bytes, size_t size, uint64_t address)
{
    for (size_t i = 0; i < size; i++) {
        if (i % 16 == 0) {
            printf("%s%012" PRIx64 " ", i != 0 ? "\n" : "", address + i);
        }
        printf(" %02x", bytes[i]);
    }
    putchar('\n');
}

static enum agpu_ctl_outcome mem_dump(struct agpu_ctl_session_state *s, int count, char **words)
{
    uint64_t address, size;
    enum agpu_ctl_outcome outcome = find_memory(s, count, words, &address, &size);
    FILE *file = NULL;
    char text[100];

    if (outcome != AGPU_CTL_DONE) {
        return outcome;
    }
    if (s->options.out != NULL && (file = fopen(s->options.out, "we")) == NULL) {
        fprintf(stderr, "agpu ctl: cannot write %s: %s\n", s->options.out, strerror(errno));
        return AGPU_CTL_REFUSED;
    }
    for (uint64_t at = 0; outcome == AGPU_CTL_DONE && at < size; at += AGPU_CTL_DATA_MAX) {
        const uint64_t part = size - at < AGPU_CTL_DATA_MAX ? size - at : AGPU_CTL_DATA_MAX;

        snprintf(text, sizeof text, "mem read 0x%" PRIx64 " %" PRIu64, address + at, part);
        outcome = ask(s, text);
        if (outcome == AGPU_CTL_DONE && s->link.client.size != part) {
            fprintf(stderr,
                    "agpu ctl: expected %" PRIu64 " bytes from 0x%" PRIx64 ", found %zu in the answer\n",
                    part, address + at, s->link.client.size);
            outcome = AGPU_CTL_REFUSED;
        } else if (outcome == AGPU_CTL_DONE && file != NULL) {
            fwrite(s->link.client.bytes, 1, part, file);
        } else if (outcome == AGPU_CTL_DONE) {
            show_bytes(s->link.client.bytes, part, address + at);
        }
    }
    if (file != NULL && (ferror(file) | fclose(file)) != 0) {
        fprintf(stderr, "agpu ctl: cannot write %s: %s\n", s->options.out, strerror(errno));
        outcome = AGPU_CTL_REFUSED;
    }
    return outcome;
}

static enum agpu_ctl_outcome submit(struct agpu_ctl_session_state *s, int count, char **words)
{
    static uint8_t bytes[AGPU_CTL_STREAM_MAX + 1];
    FILE *file = fopen(words[0], "re");
    json_t *rows;
    char text[60], *end = NULL;
    enum agpu_ctl_outcome outcome;

    if (file == NULL) {
        fprintf(stderr, "agpu ctl: cannot read %s: %s\n", words[0], strerror(errno));
        return AGPU_CTL_MISUSED;
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    const bool unread = ferror(file) != 0;
    fclose(file);
    if (unread) {
        fprintf(stderr, "agpu ctl: cannot read %s\n", words[0]);
        return AGPU_CTL_MISUSED;
    }
    if (size > AGPU_CTL_STREAM_MAX) {
        return wrong("the stream is longer than 48 KiB, the limit of a request");
    }
    const unsigned long flags = count > 1 ? strtoul(words[1], &end, 0) : 0;
    if (count > 1 && (words[1][0] < '0' || words[1][0] > '9' || *end != '\0')) {
        return wrong("expected a number as the flags");
    }
    snprintf(text, sizeof text, "submit %lu", flags);
    outcome = ask_with(s, text, bytes, size, s->options.target.timeout_ms, NULL);
    rows = json_array();
    if (outcome == AGPU_CTL_DONE) {
        outcome = take_rows(s, rows);
    }
    if (outcome == AGPU_CTL_DONE) {
        show(s, rows, false);
        const json_t *row = json_array_get(rows, 0);
        const char *status = json_string_value(json_object_get(row, "status"));

        outcome = status != NULL && strcmp(status, "done") == 0 &&
                          json_integer_value(json_object_get(row, "errors")) == 0
                      ? AGPU_CTL_DONE
                      : AGPU_CTL_REFUSED;
    }
    json_decref(rows);
    return outcome;
}

/* ---- cases ---- */

static enum agpu_ctl_outcome cases(struct agpu_ctl_session_state *s, int count, char **words)
{
    json_t *rows = json_array(), *last;
    enum agpu_ctl_outcome outcome;
    long long from = 0;
    char text[AGPU_CTL_COMMAND_MAX + 1];
    bool more;

    do {
        more = false;
        snprintf(text, sizeof text, "cases %.250s %lld", count > 0 ? words[0] : "*", from);
        outcome = ask(s, text);
        if (outcome == AGPU_CTL_DONE) {
            outcome = take_rows(s, rows);
        }
        last = json_array_get(rows, json_array_size(rows) - 1);
        if (outcome == AGPU_CTL_DONE && last != NULL && has_text(last, "row", "more")) {
            more = json_integer_value(json_object_get(last, "from")) > from;
            from = json_integer_value(json_object_get(last, "from"));
            json_array_remove(rows, json_array_size(rows) - 1);
        }
    } while (more);
    if (outcome == AGPU_CTL_DONE) {
        show(s, rows, true);
    }
    json_decref(rows);
    return outcome;
}

/* Signals end the run, not this program. */
static void begin_signals(struct agpu_ctl_session_state *s, sigset_t *before)
{
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGINT);
    pthread_sigmask(SIG_BLOCK, &mask, before);
    s->link.signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void end_signals(struct agpu_ctl_session_state *s, const sigset_t *before)
{
    if (s->link.signal_fd >= 0) {
        close(s->link.signal_fd);
    }
    s->link.signal_fd = -1;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Requests that no further cases run, in a separate connection, since another client's connection waits for the end
 * of those cases. */
static enum agpu_ctl_outcome stop(struct agpu_ctl_session_state *s, int count, char **words)
{
    json_t *rows;
    enum agpu_ctl_outcome outcome;
    const char *failed;

    (void)count, (void)words;
    if (s->connected) { /* and no case is running that this connection waits for */
        return ask_and_show(s, "stop", false);
    }
    failed = agpu_ctl_link_halt(&s->link, &s->options.target);
    if (failed != NULL) {
        complain("no connection to ", s->options.target.name, failed);
        return AGPU_CTL_BROKEN;
    }
    if (!s->link.client.good) {
        complain("", "", s->link.client.text);
        return AGPU_CTL_REFUSED;
    }
    rows = json_array();
    outcome = take_rows(s, rows);
    if (outcome == AGPU_CTL_DONE) {
        show(s, rows, false);
    }
    json_decref(rows);
    return outcome;
}

static enum agpu_ctl_outcome run(struct agpu_ctl_session_state *s, int count, char **words)
{
    json_t *rows = json_array();
    sigset_t before;
    char text[AGPU_CTL_COMMAND_MAX + 1];
    enum agpu_ctl_outcome outcome;

    (void)count;
    snprintf(text, sizeof text, "run %.250s", words[0]);
    outcome = connect_to_image(s);
    if (outcome == AGPU_CTL_DONE) {
        begin_signals(s, &before);
        outcome = ask_with(s, text, NULL, 0, RUN_TIMEOUT_MS, s->options.json ? stderr : stdout);
        end_signals(s, &before);
    }
    if (outcome == AGPU_CTL_DONE) {
        outcome = take_rows(s, rows);
    }
    if (outcome == AGPU_CTL_DONE) {
        const char *status = json_string_value(json_object_get(json_array_get(rows, 0), "status"));

        show(s, rows, false);
        outcome = status != NULL && strcmp(status, "PASS") == 0 ? AGPU_CTL_DONE : AGPU_CTL_REFUSED;
    }
    json_decref(rows);
    return outcome;
}

/* ---- which ---- */

typedef enum agpu_ctl_outcome command_fn(struct agpu_ctl_session_state *s, int count, char **words);

/* A command without a function is sent unchanged; list: the answer has any number of rows. */
static const struct {
    const char *name;
    int least, most; /* further words */
    command_fn *call;
    bool list;
    const char *expected;
} commands[] = {
    {"id", 0, 0, NULL, false, "id"},
    {"status", 0, 0, NULL, false, "status"},
    {"reg list", 0, 0, reg_list, true, "reg list"},
    {"reg read", 1, 64, reg_read, false, "reg read NAME..."},
    {"reg write", 2, 2, reg_write, false, "reg write NAME VALUE"},
    {"reg watch", 1, 1, reg_watch, false, "reg watch NAME"},
    {"ring up", 0, 0, NULL, false, "ring up"},
    {"ring", 0, 0, NULL, false, "ring"},
    {"mem dump", 1, 2, mem_dump, false, "mem dump NAME|ADDRESS [SIZE]"},
    {"mem", 0, 0, NULL, true, "mem"},
    {"cases", 0, 1, cases, true, "cases [GLOBS]"},
    {"run", 1, 1, run, false, "run GLOBS"},
    {"submit", 1, 2, submit, false, "submit FILE [FLAGS]"},
    {"go", 0, 0, NULL, false, "go"},
    {"stop", 0, 0, stop, false, "stop"},
    {"quit", 0, 0, NULL, false, "quit"},
    {"reboot", 0, 0, NULL, false, "reboot"},
};

#define COMMANDS (sizeof commands / sizeof commands[0])

const char *agpu_ctl_command_name(size_t index)
{
    return index < COMMANDS ? commands[index].name : NULL;
}

/* Returns the number of words in the name if the arguments start with it; else 0. */
static int name_words(const char *name, int count, char **words)
{
    const char *blank = strchr(name, ' ');
    const size_t first = blank != NULL ? (size_t)(blank - name) : strlen(name);

    if (count < 1 || strlen(words[0]) != first || strncmp(words[0], name, first) != 0) {
        return 0;
    }
    if (blank == NULL) {
        return 1;
    }
    return count > 1 && strcmp(words[1], blank + 1) == 0 ? 2 : 0;
}

enum agpu_ctl_outcome agpu_ctl_command(struct agpu_ctl_session_state *s, int count, char **words)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        const int used = name_words(commands[i].name, count, words);

        if (used == 0) {
            continue;
        }
        if (count - used < commands[i].least || count - used > commands[i].most) {
            fprintf(stderr, "agpu ctl: expected %s\n", commands[i].expected);
            return AGPU_CTL_MISUSED;
        }
        return commands[i].call != NULL ? commands[i].call(s, count - used, words + used)
                                        : ask_and_show(s, commands[i].name, commands[i].list);
    }
    fprintf(stderr, "agpu ctl: no command %.60s; agpu ctl --help lists them\n", count > 0 ? words[0] : "");
    return AGPU_CTL_MISUSED;
}

void agpu_ctl_session_close(struct agpu_ctl_session_state *s)
{
    if (s->connected) {
        agpu_ctl_link_close(&s->link);
        s->connected = false;
    }
}
