/* copy.c: copies records from one file to another. */
#include "tests/host/capture/copy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/capture/functions.h"

/* Copies memory contents without the flag AGAIN: the bytes that it refers to may be elsewhere in the other file's
 * block, and its writer sets the flag anew. */
static bool copy_memory(struct agpu_capture_encoder *encoder, const struct agpu_capture_item *item)
{
    struct agpu_capture_bytes recorded = *item->bytes;

    recorded.flags &= ~AGPU_CAPTURE_AGAIN;
    return agpu_capture_put(encoder, item->type, item->time_ns, &recorded, sizeof recorded, item->tail,
                            item->tail_size);
}

bool agpu_capture_copy_record(struct agpu_capture_encoder *encoder, const struct agpu_capture_item *item)
{
    const void *structure = item->device != NULL       ? (const void *)item->device
                            : item->test != NULL       ? (const void *)item->test
                            : item->map != NULL        ? (const void *)item->map
                            : item->access != NULL     ? (const void *)item->access
                            : item->submission != NULL ? (const void *)item->submission
                            : item->back != NULL       ? (const void *)item->back
                            : item->registers != NULL  ? (const void *)item->registers
                            : item->line != NULL       ? (const void *)item->line
                            : item->way != NULL        ? (const void *)item->way
                                                       : (const void *)item->lost;
    const uint32_t size = structure != NULL ? (uint32_t)(item->tail - (const uint8_t *)structure) : 0;

    encoder->function = (uint8_t)item->function;
    if (item->bytes != NULL) {
        return copy_memory(encoder, item);
    }
    return agpu_capture_put(encoder, item->type, item->time_ns, structure, size, item->tail, item->tail_size);
}

static bool write_stored(void *ctx, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, ctx) == size;
}

static bool copy_all(struct agpu_capture_reader *reader, FILE *out, void *buffer, char *message,
                     size_t message_size)
{
    struct agpu_capture_encoder encoder = {0};
    struct agpu_capture_item item;
    enum agpu_capture_next next;
    bool good = true;

    agpu_capture_encoder_init(&encoder, buffer, AGPU_CAPTURE_BUFFER_MAX, write_stored, out);
    while ((next = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD && good) {
        item.function = 0; /* the only function from here on */
        good = agpu_capture_copy_record(&encoder, &item);
    }
    if (good && next != AGPU_CAPTURE_NEXT_DONE) {
        snprintf(message, message_size, "%s", agpu_capture_error(reader));
        return false;
    }
    if (good && agpu_capture_lacks_cases(reader, message, message_size)) {
        return false;
    }
    good = good && agpu_capture_finish(&encoder) && fflush(out) == 0;
    snprintf(message, message_size, "cannot be written: %s", strerror(errno));
    return good;
}

bool agpu_capture_unpack(const char *from, uint32_t function, const char *cases, const char *to,
                         char *message, size_t message_size)
{
    struct agpu_capture_reader *reader = agpu_capture_open(from, message, message_size);
    void *buffer = malloc(AGPU_CAPTURE_BUFFER_MAX);
    FILE *out = reader != NULL ? fopen(to, "wbe") : NULL;
    bool good = false;

    if (reader != NULL && (out == NULL || buffer == NULL)) {
        snprintf(message, message_size, "%s: %s", to, buffer == NULL ? "no memory" : strerror(errno));
    }
    if (out != NULL && buffer != NULL) {
        agpu_capture_choose(reader, function);
        agpu_capture_choose_cases(reader, cases);
        good = copy_all(reader, out, buffer, message, message_size);
    }
    if (out != NULL && fclose(out) != 0) {
        good = false;
    }
    if (out != NULL && !good) {
        unlink(to);
    }
    free(buffer);
    agpu_capture_close(reader);
    return good;
}
