/* record.c: wraps the driver's tables and writes each call. */
#include "tests/ddi/record.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/ring_transport.h"
#include "tests/cases/rig/umd_rig.h"
#include "tests/ddi/callbacks.h"
#include "tests/ddi/outcome.h"

#define LINE_BYTES ((size_t)64 << 20) /* a call with DDI_BYTES_MAX in hexadecimal, and its callbacks */

#define OUT_OF_MEMORY " 0x8007000e\n" /* E_OUTOFMEMORY, as result or in SetError */

static struct recorder {
    FILE *file;
    char test[200];
    struct agpu_text line; /* the current call; NULL buffer: no recording */
    struct ddi_tables tables;
    struct ddi_values values;
    pthread_t thread;
    bool open;         /* a device is open */
    bool calling;      /* the current call is recorded */
    char stopped[300]; /* why no further call of the device is recorded; "": they are */
    uint64_t lost;     /* calls since then */
} recorder;

static void stop(const char *name, const char *why)
{
    snprintf(recorder.stopped, sizeof recorder.stopped, "%s: %s", name, why);
}

/* Ends the part of a device. */
static void end_device(void)
{
    if (recorder.open && recorder.stopped[0] != '\0') {
        fprintf(recorder.file, "not recorded: %" PRIu64 " calls of %s from %s\n", recorder.lost,
                recorder.test, recorder.stopped);
    }
    ddi_values_end(&recorder.values);
    recorder.open = false;
}

/* Writes the line, with the outcome of its call, if that can be played again. */
static void write_line(const char *name, const struct ddi_entry *entry, const void *arguments,
                       uint64_t result)
{
    recorder.line.length -= recorder.line.buffer[recorder.line.length - 1] == ' '; /* there was no argument */
    agpu_text_char(&recorder.line, '\n');
    if (ddi_callbacks_failed() != NULL) {
        char why[100];

        snprintf(why, sizeof why, "callback %s failed or was replaced", ddi_callbacks_failed());
        stop(name, why);
    } else if (!ddi_outcome(&recorder.line, entry, arguments, result)) {
        stop(name, "its callbacks are too many to record");
    } else if (strstr(recorder.line.buffer, OUT_OF_MEMORY) != NULL) {
        stop(name, "there was no memory");
    }
    if (recorder.stopped[0] == '\0') {
        fwrite(recorder.line.buffer, 1, recorder.line.length, recorder.file);
    } else {
        recorder.lost += entry != NULL;
    }
}

const struct ddi_tables *ddi_call_begins(unsigned number, const void *arguments)
{
    const struct ddi_entry *entry = ddi_entry_at(number);
    const char *name = entry->arguments.name;
    const void *device;

    memcpy(&device, arguments, sizeof device); /* the first argument of every entry */
    if (!pthread_equal(pthread_self(), recorder.thread)) {
        return &recorder.tables; /* ddi_call_ends() counts it */
    }
    recorder.calling = false;
    if (recorder.open && recorder.stopped[0] == '\0' && device != recorder.values.device) {
        stop(name, "a call on another device");
    }
    if (!recorder.open || recorder.stopped[0] != '\0') {
        recorder.lost++;
        return &recorder.tables;
    }
    agpu_text_begin(&recorder.line, recorder.line.buffer, LINE_BYTES);
    ddi_values_enter(&recorder.values, entry);
    if (ddi_unmaps(entry)) {
        const struct ddi_object *object = ddi_values_object(&recorder.values, entry, arguments, "resource");

        if (object != NULL && object->data != NULL && object->written && object->bytes <= DDI_BYTES_MAX) {
            agpu_format(&recorder.line, "write resource%u ",
                        (unsigned)(object - recorder.values.objects) + 1);
            ddi_write_bytes(&recorder.line, object->data, object->bytes);
            agpu_text_char(&recorder.line, '\n');
        } else if (object != NULL && object->data != NULL && object->written) {
            stop(name, "more mapped bytes than can be recorded");
        }
    }
    agpu_format(&recorder.line, "call %s ", name);
    if (!ddi_write(&recorder.values, &recorder.line, &entry->arguments, arguments)) {
        stop(name, recorder.values.why);
    }
    recorder.calling = recorder.stopped[0] == '\0';
    recorder.lost += !recorder.calling;
    ddi_callbacks_clear();
    return &recorder.tables;
}

void ddi_call_ends(unsigned number, const void *arguments, uint64_t result)
{
    const struct ddi_entry *entry = ddi_entry_at(number);

    if (!pthread_equal(pthread_self(), recorder.thread)) {
        stop(entry->arguments.name, "a call on another thread");
        return;
    }
    if (recorder.calling) {
        write_line(entry->arguments.name, entry, arguments, result);
        ddi_note_mapping(&recorder.values, entry, arguments, result);
        recorder.calling = false;
    }
    if (strcmp(entry->arguments.name, "device.DestroyDevice") == 0) {
        end_device();
    }
}

/* Entries that change nothing: the player makes those that it needs by itself. */
static bool only_asks(const char *name)
{
    const char *entry = strchr(name, '.') + 1;

    return strncmp(entry, "Calc", 4) == 0 || strncmp(entry, "Check", 5) == 0 || strncmp(entry, "Get", 3) == 0;
}

static void device_opened(struct agpu_umd_rig *umd, const struct agpu_runtime_config *config)
{
    static struct agpu_ring none;
    const struct ddi_entry *entry;

    end_device();
    recorder.tables = (struct ddi_tables){umd->funcs, umd->context};
    recorder.values.device = umd->device.pDrvPrivate;
    recorder.thread = pthread_self();
    recorder.open = true;
    recorder.stopped[0] = '\0';
    recorder.lost = 0;
    agpu_text_begin(&recorder.line, recorder.line.buffer, LINE_BYTES);
    agpu_format(&recorder.line, "device %s ", recorder.test);
    if (config->vidmm.vram.size != 0 || config->transport->submit != agpu_ring_transport(&none).submit) {
        stop("the device",
             config->vidmm.vram.size != 0 ? "it has video memory" : "its work does not go to the ring");
    }
    ddi_write(&recorder.values, &recorder.line, ddi_type_of(DDI_STRUCT_ddi_config), config);
    write_line("the device", NULL, NULL, 0);
    for (unsigned i = 0; (entry = ddi_entry_at(i)) != NULL; i++) {
        uint8_t *table = entry->in_context ? (uint8_t *)&umd->context : (uint8_t *)&umd->funcs;
        void (*function)(void);

        memcpy(&function, table + entry->offset, sizeof function);
        if (function != NULL && !only_asks(entry->arguments.name)) {
            memcpy(table + entry->offset, &entry->recorder, sizeof entry->recorder);
        }
    }
}

bool ddi_record_open(const char *path)
{
    static const struct agpu_umd_watch watch = {ddi_callbacks, ddi_core_callbacks, device_opened};

    recorder.line.buffer = malloc(LINE_BYTES);
    recorder.file = recorder.line.buffer != NULL ? fopen(path, "we") : NULL;
    if (recorder.file == NULL) {
        free(recorder.line.buffer);
        return false;
    }
    fputs(DDI_FIRST_LINE "\n", recorder.file);
    agpu_umd_set_watch(&watch);
    return true;
}

void ddi_record_case(const char *id)
{
    snprintf(recorder.test, sizeof recorder.test, "%s", id);
}

bool ddi_record_close(void)
{
    agpu_umd_set_watch(NULL);
    end_device();
    fputs(DDI_LAST_LINE "\n", recorder.file);
    const bool complete = ferror(recorder.file) == 0;
    free(recorder.line.buffer);
    return fclose(recorder.file) == 0 && complete;
}
