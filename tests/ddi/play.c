/* play.c: the player: makes each call of a recording and compares its outcome. The file comes from outside: what it
 * says is checked before the driver gets it. */
#include "tests/ddi/play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/machine/status.h"
#include "ring/ring_transport.h"
#include "tests/cases/harness/devices.h"
#include "tests/cases/harness/stream.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/stack_config.h"
#include "tests/ddi/callbacks.h"
#include "tests/ddi/outcome.h"

#define FILE_BYTES_MAX    ((size_t)1 << 30)
#define OUTCOME_BYTES_MAX ((size_t)16 << 20)
#define OBJECT_BYTES_MAX  65536u

static struct player {
    const char *path;
    char *file, *next; /* the whole file; its next line */
    unsigned line;     /* number of the line that was read last */
    struct agpu_test *test;
    struct agpu_umd_rig *umd;
    struct ddi_values values;
    char device[100]; /* the case that opened the device; "": none is open */
    unsigned devices, calls_of_device;
    unsigned since; /* line of the first call whose packets are in the next submission */
    uint64_t calls, lost;
    char *outcome; /* OUTCOME_BYTES_MAX */
    bool refused, differs, ended;
} player;

/* Refuses the file: it has something that no recording has. */
static bool refuse_file(const char *why)
{
    if (!player.refused) {
        fprintf(stderr, "agpu replay: %s:%u: %s\n", player.path, player.line, why);
    }
    player.refused = true;
    return false;
}

/* ---- lines ---- */

/* Returns the next line without its end; NULL: there is none. */
static char *take_line(void)
{
    char *line = player.next, *end = line != NULL ? strchr(line, '\n') : NULL;

    if (end == NULL) {
        return NULL;
    }
    *end = '\0';
    player.next = end + 1;
    player.line++;
    return line;
}

static bool load(void)
{
    FILE *file = fopen(player.path, "re");
    size_t length = 0, more, room = 0;

    while (file != NULL && length == room && room < FILE_BYTES_MAX) {
        char *grown = realloc(player.file, (room != 0 ? room * 2 : 65536) + 1);

        room = room != 0 ? room * 2 : 65536;
        if (grown == NULL) {
            break;
        }
        player.file = grown;
        while (length < room && (more = fread(player.file + length, 1, room - length, file)) != 0) {
            length += more;
        }
    }
    if (file == NULL || ferror(file) != 0) {
        fprintf(stderr, "agpu replay: %s: %s\n", player.path, strerror(errno));
        return false;
    }
    fclose(file);
    player.file[length] = '\0';
    player.next = player.file;
    if (length == room || strlen(player.file) != length) {
        return refuse_file(length == room ? "the file is larger than 1 GiB" : "the file is not a text");
    }
    const char *first = take_line();
    return (first != NULL && strcmp(first, DDI_FIRST_LINE) == 0) ||
           refuse_file("expected the first line \"" DDI_FIRST_LINE "\"");
}

/* Reads a structure up to the end of the line. */
static bool read_line(const char *text, const struct ddi_type *type, void *base)
{
    const bool read = ddi_read(&player.values, &text, type, base);

    return (read && *text == '\0') || refuse_file(read ? "expected the end of the line" : player.values.why);
}

/* ---- outcomes ---- */

/* Compares an outcome with the indented lines that follow. */
static bool compare(const char *what, const char *found)
{
    bool submits = false;

    while (true) {
        const size_t length = strcspn(found, "\n");
        const bool more = player.next[0] == ' ';
        const char *expected = more ? take_line() : "";

        if (expected == NULL) {
            return refuse_file("the file ends in a line");
        }
        if (!more && length == 0) {
            player.since = submits ? player.line + 1 : player.since;
            return true;
        }
        if (strlen(expected) != length || memcmp(expected, found, length) != 0) {
            printf("%s:%u: call %u of %s, %s, differs:\n  expected: %s\n  found:    %.*s\n", player.path,
                   player.line, player.calls_of_device, player.device, what,
                   more ? expected + strspn(expected, " ") : "nothing",
                   length != 0 ? (int)(length - strspn(found, " ")) : 7,
                   length != 0 ? found + strspn(found, " ") : "nothing");
            if (strncmp(more ? expected : found, "    ", 4) == 0) {
                printf("  packets of the calls since line %u\n", player.since);
            }
            player.differs = true;
            return false;
        }
        submits |= strncmp(expected, "  Render", 8) == 0 || strncmp(expected, "  Present", 9) == 0;
        found += length + (found[length] == '\n');
    }
}

static bool compare_outcome(const char *what, const struct ddi_entry *entry, const void *arguments,
                            uint64_t result)
{
    struct agpu_text text;

    agpu_text_begin(&text, player.outcome, OUTCOME_BYTES_MAX);
    if (!ddi_outcome(&text, entry, arguments, result)) {
        agpu_format_line(player.outcome, 100, "%s", "  more callbacks than can be compared\n");
    }
    return compare(what, player.outcome);
}

/* ---- a device ---- */

static const void *table_of(const struct ddi_entry *entry)
{
    return entry->in_context ? (const void *)agpu_usage_driver_context(player.umd->usage)
                             : (const void *)agpu_usage_driver_funcs(player.umd->usage);
}

/* Returns the object that the entry destroys; NULL: none. */
static struct ddi_object *destroyed_object(const struct ddi_entry *entry, const void *arguments)
{
    const struct ddi_type *type = &entry->arguments;

    return strncmp(type->name, "device.Destroy", strlen("device.Destroy")) == 0 && type->field_count == 2
               ? ddi_values_object(&player.values, entry, arguments, type->fields[1].name)
               : NULL;
}

/* Destroys what the recording leaves, newest first, as the runtime does. */
static void destroy_objects(void)
{
    for (unsigned i = player.values.object_count; i-- > 0;) {
        const struct ddi_object *object = &player.values.objects[i];
        const struct ddi_entry *entry;
        void *arguments[2] = {player.values.device, object->handle};

        for (unsigned j = 0; (entry = ddi_entry_at(j)) != NULL && object->handle != NULL && !object->gone;
             j++) {
            if (destroyed_object(entry, arguments) == object) {
                entry->call(table_of(entry), arguments);
                break;
            }
        }
    }
}

static void close_device(void)
{
    if (player.device[0] != '\0') {
        destroy_objects();
    }
    agpu_umd_close(player.umd, NULL);
    for (unsigned i = 0; i < player.values.object_count; i++) {
        free(player.values.objects[i].handle);
    }
    ddi_values_end(&player.values);
    player.device[0] = '\0';
}

static void device_opened(struct agpu_umd_rig *umd, const struct agpu_runtime_config *config)
{
    (void)umd;
    (void)config;
}

/* Opens a stack with the recorded configuration on a new ring, because fence numbers start again. */
static bool open_device(const char *text)
{
    static const struct agpu_umd_watch watch = {ddi_callbacks, ddi_core_callbacks, device_opened};
    const char *space = strchr(text, ' ');
    struct agpu_env *env = player.test->env;
    struct agpu_ring_config ring = {0};
    enum agpu_status status;
    char why[200];

    close_device();
    if (space == NULL || (size_t)(space - text) >= sizeof player.device || space == text) {
        return refuse_file("expected the name of a case and a configuration");
    }
    struct agpu_runtime_config config = agpu_umd_config(env);
    const uint32_t magic = config.mmio_magic;
    if (!read_line(space + 1, ddi_type_of(DDI_STRUCT_ddi_config), &config)) {
        return false;
    }
    if (config.mmio_magic != magic) {
        return refuse_file("the calls were recorded on a device of another generation");
    }
    status = agpu_ring_restart(env, &ring);
    env->transport = agpu_ring_transport(&env->ring);
    agpu_umd_set_watch(&watch);
    status = status == AGPU_OK ? agpu_umd_open(player.umd, &env->function, &config) : status;
    agpu_umd_set_watch(NULL);
    if (status != AGPU_OK) {
        agpu_format_line(why, sizeof why, "the driver does not open with this configuration: %s",
                         agpu_status_name(status));
        return refuse_file(why);
    }
    snprintf(player.device, sizeof player.device, "%.*s", (int)(space - text), text);
    player.values.device = player.umd->device.pDrvPrivate;
    player.devices++;
    player.calls_of_device = 0;
    player.since = player.line;
    return compare_outcome("CreateDevice", NULL, NULL, 0);
}

/* ---- a call ---- */

/* Returns whether the driver has the entry. */
static bool is_there(const struct ddi_entry *entry)
{
    void (*function)(void);

    memcpy(&function, (const uint8_t *)table_of(entry) + entry->offset, sizeof function);
    return function != NULL;
}

/* Returns the entry that returns the size of the object that this one creates. */
static const struct ddi_entry *size_entry(const struct ddi_entry *creation)
{
    const char *object = creation->arguments.name + strlen("device.Create");
    const size_t length = strlen(object);
    const bool shader = length > 6 && strcmp(object + length - 6, "Shader") == 0;
    char name[100];

    if (strstr(object, "WithStreamOutput") != NULL) {
        snprintf(name, sizeof name, "device.CalcPrivate%s", object);
    } else if (strncmp(object, "Hull", 4) == 0 || strncmp(object, "Domain", 6) == 0) {
        snprintf(name, sizeof name, "device.CalcPrivateTessellationShaderSize");
    } else {
        snprintf(name, sizeof name, "device.CalcPrivate%sSize", shader ? "Shader" : object);
    }
    return ddi_entry_named(name, strlen(name));
}

/* Allocates the object that the call will create, and puts it into the arguments, of which those of the entry for the
 * size are the first. */
static bool allocate_object(const struct ddi_entry *entry, uint8_t *arguments)
{
    const struct ddi_entry *size_of = size_entry(entry);
    const struct ddi_field *field = ddi_field_named(&entry->arguments, "object");
    struct ddi_object *object = &player.values.objects[player.values.object_count - 1];
    uint64_t size;

    if (size_of == NULL || !is_there(size_of)) {
        return refuse_file("the driver does not create such objects");
    }
    size = size_of->call(table_of(size_of), arguments);
    object->handle = calloc(1, size != 0 && size <= OBJECT_BYTES_MAX ? size : 1);
    if (object->handle == NULL || size > OBJECT_BYTES_MAX) {
        return refuse_file("no memory for an object of the driver");
    }
    memcpy(arguments + field->offset, &object->handle, sizeof object->handle);
    return true;
}

static bool play_call(const char *text)
{
    const size_t length = strcspn(text, " ");
    const struct ddi_entry *entry = ddi_entry_named(text, length);
    _Alignas(max_align_t) uint8_t arguments[DDI_ARGUMENTS_MAX] = {0};
    const unsigned objects = player.values.object_count;
    uint64_t result = 0;
    bool same;

    if (player.device[0] == '\0') {
        return refuse_file("a call without a device");
    }
    if (entry == NULL || !is_there(entry)) {
        return refuse_file("the driver has no such entry");
    }
    ddi_values_enter(&player.values, entry);
    if (!read_line(text + length + (text[length] == ' '), &entry->arguments, arguments)) {
        return false;
    }
    if (player.values.object_count != objects && !allocate_object(entry, arguments)) {
        return false;
    }
    player.calls++;
    player.calls_of_device++;
    ddi_callbacks_clear();
    if (strcmp(entry->arguments.name, "device.DestroyDevice") == 0) {
        char device[sizeof player.device];

        memcpy(device, player.device, sizeof device);
        player.device[0] = '\0'; /* the call finds the objects that the recorded program has left */
        close_device();
        memcpy(player.device, device, sizeof device); /* for the message */
        same = compare_outcome(entry->arguments.name, entry, arguments, 0);
        player.device[0] = '\0';
        return same;
    }
    result = entry->call(table_of(entry), arguments);
    same = compare_outcome(entry->arguments.name, entry, arguments, result);
    ddi_note_mapping(&player.values, entry, arguments, result);
    if (player.values.object_count != objects) {
        player.values.objects[objects].gone = result != 0;
    } else if (destroyed_object(entry, arguments) != NULL) {
        destroyed_object(entry, arguments)->gone = true;
    }
    ddi_values_leave(&player.values);
    return same;
}

/* Writes into a mapped resource what the recorded program had written. */
static bool play_write(const char *text)
{
    static const char word[] = "resource";
    char *end = NULL;
    const unsigned long number =
        strncmp(text, word, sizeof word - 1) == 0 ? strtoul(text + sizeof word - 1, &end, 10) : 0;
    struct ddi_object *object;
    uint64_t count;

    if (number == 0 || number > player.values.object_count || *end != ' ') {
        return refuse_file("expected a resource and bytes");
    }
    const char *at = end + 1;
    const uint8_t *bytes = ddi_read_bytes(&player.values, &at, &count);
    if (bytes == NULL || *at != '\0') {
        return refuse_file(bytes == NULL ? player.values.why : "expected the end of the line");
    }
    object = &player.values.objects[number - 1];
    if (object->data == NULL || object->bytes != count) {
        char why[200];

        agpu_format_line(why, sizeof why, "%ju bytes are mapped, the recording writes %ju",
                         object->data != NULL ? object->bytes : 0, count);
        return refuse_file(why);
    }
    memcpy(object->data, bytes, count);
    ddi_values_leave(&player.values);
    return true;
}

static bool play_line(const char *line)
{
    static const struct {
        const char *word;
        bool (*play)(const char *text);
    } kinds[] = {{"device ", open_device}, {"call ", play_call}, {"write ", play_write}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strncmp(line, kinds[i].word, strlen(kinds[i].word)) == 0) {
            return kinds[i].play(line + strlen(kinds[i].word));
        }
    }
    if (strncmp(line, "not recorded: ", strlen("not recorded: ")) == 0) {
        player.lost += strtoul(line + strlen("not recorded: "), NULL, 10);
        printf("%s\n", line);
        close_device();
        return true;
    }
    player.ended = strcmp(line, DDI_LAST_LINE) == 0 && player.next[0] == '\0';
    return player.ended || refuse_file("expected a device, a call, a write or the end");
}

/* The body of the one case. */
static void play(struct agpu_test *test)
{
    const struct agpu_runtime_config plain = agpu_umd_config(test->env);
    struct agpu_ring_config ring = {0};
    const char *line;

    player.test = test;
    player.umd = &test->env->umd;
    while (!player.ended && (line = take_line()) != NULL && play_line(line)) {
    }
    if (!player.ended && !player.refused && !player.differs) {
        refuse_file("the file is not complete");
    }
    close_device();
    if (agpu_ring_restart(test->env, &ring) == AGPU_OK) { /* the harness takes this one down */
        test->env->transport = agpu_ring_transport(&test->env->ring);
        agpu_umd_open(&test->env->umd, &test->env->function, &plain);
    }
}

int ddi_play(const char *path, const struct agpu_host_config *machine)
{
    static const struct agpu_case item = {
        .id = "replay.ddi", .spec = "umd.md 18", .needs = AGPU_NEED_UMD, .run = play};
    static const struct agpu_case_table table = {&item, 1};
    static const struct agpu_case_table *const tables[] = {&table};
    char message[512] = "no memory";
    struct agpu_host *host = NULL;

    player = (struct player){.path = path, .outcome = malloc(OUTCOME_BYTES_MAX)};
    if (player.outcome == NULL || !load()) {
        free(player.file);
        free(player.outcome);
        return 1;
    }
    host = agpu_host_create(machine, message, sizeof message);
    if (host == NULL) {
        fprintf(stderr, "agpu replay: no device: %s\n", message);
    } else {
        const struct agpu_platform *platform = agpu_host_platform(host);
        struct agpu_stream stream = {0};
        struct agpu_summary summary;
        struct agpu_rounds_config rounds = {0};
        const struct agpu_runner_config config = {
            .platform = platform,
            .stream = &stream,
            .fixture = &agpu_device_fixture,
            .fixture_config.model = true,
            .tables = tables,
            .table_count = 1,
            .build = "replay",
            .allow_skips = "all",
            .case_bound_ns = UINT64_C(3600000000000),
            .total_bound_ns = UINT64_C(3600000000000),
        };

        agpu_stream_init(&stream, platform->now_ns, platform->ctx, platform->now_ns(platform->ctx));
        agpu_run_devices(&config, &rounds, NULL,
                         &summary); /* recorded cases may leave device errors: no verdict */
        agpu_host_destroy(host);
    }
    printf("%s: %u devices, %ju calls played; %ju calls were not recorded\n",
           player.differs                    ? "different"
           : player.refused || !player.ended ? "not played to the end"
           : player.lost != 0                ? "the same as far as recorded"
                                             : "the same",
           player.devices, (uintmax_t)player.calls, (uintmax_t)player.lost);
    free(player.file);
    free(player.outcome);
    return player.ended && !player.differs && !player.refused && player.calls != 0 ? 0 : 1;
}
