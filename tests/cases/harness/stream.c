/* stream.c: sequence numbers, timestamps, extended netconsole framing, fan-out to sinks. */
#include "tests/cases/harness/stream.h"

#include <stdarg.h>
#include <string.h>

/* "<level>,<seq>,<us>,-[,ncfrag=<offset>/<total>];": 2 + 21 + 21 + 1 + 8 + 11 + 11 + 1 bytes at most. */
#define HEADER_MAX 96
#define PACKET_MIN 128
#define TAG_MAX    (AGPU_STREAM_DEVICE_MAX + 9) /* " device=" */

void agpu_stream_init(struct agpu_stream *stream, uint64_t (*now_ns)(void *ctx), void *now_ctx,
                      uint64_t start_ns)
{
    *stream = (struct agpu_stream){.now_ns = now_ns, .now_ctx = now_ctx, .start_ns = start_ns};
}

bool agpu_stream_add_sink(struct agpu_stream *stream, const struct agpu_sink *sink)
{
    if (stream->sink_count == AGPU_STREAM_SINKS_MAX || sink->packet == NULL) {
        return false;
    }
    if (sink->max_packet != 0 &&
        (sink->max_packet < PACKET_MIN || sink->max_packet > AGPU_STREAM_PACKET_MAX)) {
        return false;
    }
    stream->sinks[stream->sink_count].sink = *sink;
    stream->sinks[stream->sink_count].busy = false;
    stream->sinks[stream->sink_count].missed = 0;
    stream->sink_count++;
    return true;
}

struct message {
    enum agpu_log_level level;
    uint64_t seq;
    uint64_t time_us;
    const char *text;
    size_t length;
    const void *piece; /* NULL: the record announces none */
    size_t piece_size;
};

static void put_packet_header(struct agpu_text *out, const struct message *message)
{
    agpu_format(out, "%ju,%ju,%ju,-", (uint64_t)message->level, message->seq, message->time_us);
}

static void put_text(struct agpu_text *out, const char *text, size_t length)
{
    memcpy(out->buffer + out->length, text, length);
    out->length += length;
}

static void send_whole(const struct agpu_sink *sink, const struct message *message)
{
    char packet[HEADER_MAX + AGPU_RECORD_TEXT_MAX + TAG_MAX + 2];
    struct agpu_text out;

    agpu_text_begin(&out, packet, sizeof packet);
    put_packet_header(&out, message);
    agpu_text_char(&out, ';');
    put_text(&out, message->text, message->length);
    agpu_text_char(&out, '\n');
    if (message->piece != NULL && sink->piece != NULL) {
        sink->piece(sink->ctx, packet, out.length, message->piece, message->piece_size);
    } else {
        sink->packet(sink->ctx, packet, out.length);
    }
}

static void send_fragments(const struct agpu_sink *sink, const struct message *message)
{
    size_t chunk = sink->max_packet - HEADER_MAX;

    for (size_t offset = 0; offset < message->length; offset += chunk) {
        size_t length = message->length - offset < chunk ? message->length - offset : chunk;
        char packet[AGPU_STREAM_PACKET_MAX + 1];
        struct agpu_text out;

        agpu_text_begin(&out, packet, sizeof packet);
        put_packet_header(&out, message);
        agpu_format(&out, ",ncfrag=%zu/%zu;", offset, message->length);
        put_text(&out, message->text + offset, length);
        sink->packet(sink->ctx, packet, out.length);
    }
}

static void send_to(const struct agpu_sink *sink, const struct message *message)
{
    char digits[HEADER_MAX];
    struct agpu_text out;

    agpu_text_begin(&out, digits, sizeof digits);
    put_packet_header(&out, message);
    if (sink->max_packet == 0 || out.length + 1 + message->length + 1 <= sink->max_packet) {
        send_whole(sink, message);
    } else {
        send_fragments(sink, message);
    }
}

static bool is_plan(const struct agpu_record *record)
{
    return strncmp(record->buffer, "plan ", 5) == 0;
}

/* Copies the record with " device=NAME" inserted after type and id, so that a cut of the end does not remove it. In a
 * plan that key already has the description of the device, and the name is "at". */
static void tag_text(const struct agpu_record *record, const char *device, struct agpu_text *out)
{
    const bool plan = is_plan(record);
    size_t head = 0;

    for (unsigned spaces = 0; head < record->text.length; head++) {
        spaces += record->buffer[head] == ' ';
        if (spaces == 2) {
            break;
        }
    }
    put_text(out, record->buffer, head);
    out->buffer[out->length] = '\0';
    agpu_text_string(out, plan ? " at=" : " device=");
    for (size_t i = 0; device[i] != '\0' && i < AGPU_STREAM_DEVICE_MAX; i++) {
        agpu_text_char(out, device[i]);
    }
    put_text(out, record->buffer + head, record->text.length - head);
}

bool agpu_stream_takes_pieces(const struct agpu_stream *stream, size_t size)
{
    for (unsigned i = 0; i < stream->sink_count; i++) {
        const struct agpu_sink *sink = &stream->sinks[i].sink;

        if (sink->takes_piece != NULL && sink->takes_piece(sink->ctx, size)) {
            return true;
        }
    }
    return false;
}

void agpu_stream_send(struct agpu_stream *stream, struct agpu_record *record)
{
    agpu_stream_send_piece(stream, record, NULL, 0);
}

void agpu_stream_send_piece(struct agpu_stream *stream, struct agpu_record *record, const void *bytes,
                            size_t size)
{
    char tagged[AGPU_RECORD_TEXT_MAX + TAG_MAX + 1];
    struct message message;
    uint64_t now;

    stream->sending++;
    now = stream->now_ns(stream->now_ctx);
    agpu_record_finish(record);
    if (stream->plan_ns == 0 && is_plan(record)) {
        stream->plan_ns = now;
    }
    message = (struct message){
        .level = record->level,
        .seq = stream->seq++,
        .time_us = now > stream->start_ns ? (now - stream->start_ns) / 1000 : 0,
        .text = record->buffer,
        .length = record->text.length,
        .piece = bytes,
        .piece_size = size,
    };
    if (stream->device != NULL) {
        struct agpu_text out;

        agpu_text_begin(&out, tagged, sizeof tagged);
        tag_text(record, stream->device, &out);
        message.text = tagged;
        message.length = out.length;
    }
    for (unsigned i = 0; i < stream->sink_count; i++) {
        /* A sink that logs while it sends must not be re-entered; the other sinks still get that record. */
        if (stream->sinks[i].busy) {
            stream->sinks[i].missed++;
            continue;
        }
        stream->sinks[i].busy = true;
        send_to(&stream->sinks[i].sink, &message);
        stream->sinks[i].busy = false;
    }
    stream->sending--;
}

void agpu_stream_abandon(struct agpu_stream *stream)
{
    stream->sending = 0;
    for (unsigned i = 0; i < stream->sink_count; i++) {
        stream->sinks[i].busy = false;
    }
}

uint64_t agpu_stream_lost(const struct agpu_stream *stream)
{
    uint64_t lost = 0;

    for (unsigned i = 0; i < stream->sink_count; i++) {
        const struct agpu_sink *sink = &stream->sinks[i].sink;

        lost += stream->sinks[i].missed + (sink->lost != NULL ? sink->lost(sink->ctx) : 0);
    }
    return lost;
}

void agpu_stream_log(struct agpu_stream *stream, enum agpu_log_level level, const char *text)
{
    static const char *const names[] = {
        [AGPU_LOG_ERROR] = "error",
        [AGPU_LOG_WARNING] = "warning",
        [AGPU_LOG_INFO] = "info",
        [AGPU_LOG_DEBUG] = "debug",
    };
    const char *name = (unsigned)level < sizeof names / sizeof names[0] ? names[level] : NULL;
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_LOG, stream->running);
    record.level = level;
    agpu_record_string(&record, AGPU_KEY(LOG, level), name != NULL ? name : "info");
    agpu_record_string(&record, AGPU_KEY(LOG, text), text);
    agpu_stream_send(stream, &record);
}

void agpu_stream_format(struct agpu_stream *stream, enum agpu_log_level level, const char *format, ...)
{
    char line[600];
    struct agpu_text text;
    va_list args;

    agpu_text_begin(&text, line, sizeof line);
    va_start(args, format);
    agpu_format_args(&text, format, args);
    va_end(args);
    agpu_stream_log(stream, level, line);
}
