/* capture_text.c: prints the lines of a capture. */
#include "tests/host/decode/capture_text.h"

#include <inttypes.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

static void print_time(const struct agpu_capture_text *writer, uint64_t time_ns)
{
    fprintf(writer->out, "%10" PRIu64 ".%03u  ", time_ns / 1000, (unsigned)(time_ns % 1000));
}

static void print_device(const struct agpu_capture_text *writer, const struct agpu_capture_item *item)
{
    const uint8_t *config = item->device->config;

    fprintf(writer->out, "device %02X%02X:%02X%02X, command 0x%04x, %s, recorded by %s\n", config[1],
            config[0], config[3], config[2], config[4] | config[5] << 8,
            item->device->view == AGPU_CAPTURE_GUEST ? "as the driver sees it"
                                                     : "as the device sees the machine",
            item->text[0] != '\0' ? item->text : "an unnamed program");
}

static void print_access(const struct agpu_capture_text *writer, const struct agpu_capture_access *access)
{
    char room[AGPU_REGISTER_NAME];

    fprintf(writer->out, "%s %s", access->write != 0 ? "write" : "read ",
            agpu_register_name(writer->legacy, access->space, access->offset, room));
    if (access->size != 4) {
        fprintf(writer->out, " (%u %s)", access->size, access->size == 1 ? "byte" : "bytes");
    }
    fprintf(writer->out, " = 0x%" PRIx64, access->value);
    if (access->count > 1) {
        fprintf(writer->out, ", %u times", access->count);
    }
    if ((access->flags & AGPU_CAPTURE_EARLIER) != 0) {
        fputs(", in an earlier case", writer->out);
    }
    putc('\n', writer->out);
}

void agpu_capture_text_end(struct agpu_capture_text *writer)
{
    if (writer->memory.size == 0) {
        return;
    }
    print_time(writer, writer->memory.time_ns);
    fprintf(writer->out, "%s 0x%" PRIx64 ", %" PRIu64 " bytes:",
            writer->memory.type == AGPU_CAPTURE_CHANGED        ? "device wrote"
            : (writer->memory.flags & AGPU_CAPTURE_MIXED) != 0 ? "memory (while work was running)"
                                                               : "memory",
            writer->memory.address, writer->memory.size);
    for (uint32_t i = 0; i < writer->memory.shown; i++) {
        fprintf(writer->out, " %02x", writer->memory.bytes[i]);
    }
    fputs(writer->memory.size > writer->memory.shown ? " ...\n" : "\n", writer->out);
    writer->memory.size = 0;
}

static void hold_bytes(struct agpu_capture_text *writer, const struct agpu_capture_item *item)
{
    if (writer->memory.size == 0 || writer->memory.type != item->type ||
        writer->memory.flags != item->bytes->flags ||
        writer->memory.address + writer->memory.size != item->bytes->address) {
        agpu_capture_text_end(writer);
        writer->memory.type = item->type;
        writer->memory.flags = item->bytes->flags;
        writer->memory.address = item->bytes->address;
        writer->memory.shown = 0;
    }
    for (uint32_t i = 0; i < item->tail_size && writer->memory.shown < sizeof writer->memory.bytes; i++) {
        writer->memory.bytes[writer->memory.shown++] = item->tail[i];
    }
    writer->memory.size += item->tail_size;
    writer->memory.time_ns = item->time_ns;
}

static void print_submission(const struct agpu_capture_text *writer,
                             const struct agpu_capture_submission *submission)
{
    fprintf(writer->out, "submission %" PRIu64 ": fence %" PRIu64 ", context %u", submission->number,
            submission->fence, submission->context);
    if (submission->generation == AGPU_CAPTURE_LEGACY) {
        fprintf(writer->out, ", type %u", submission->flags);
    } else if (submission->flags != 0) {
        fprintf(writer->out, ", flags %s%s0x%x",
                (submission->flags & AEROGPU_SUBMIT_FLAG_PRESENT) != 0 ? "PRESENT " : "",
                (submission->flags & AEROGPU_SUBMIT_FLAG_NO_IRQ) != 0 ? "NO_IRQ " : "", submission->flags);
    }
    fprintf(writer->out, ", ring index %u, descriptor at 0x%" PRIx64, submission->slot,
            submission->descriptor_address);
    if (submission->cmd_bytes != 0 || submission->cmd_address != 0) {
        fprintf(writer->out, ", stream at 0x%" PRIx64 ", %u bytes", submission->cmd_address,
                submission->cmd_bytes);
    }
    if (submission->table_bytes != 0 || submission->table_address != 0) {
        fprintf(writer->out, ", table at 0x%" PRIx64 ", %u bytes", submission->table_address,
                submission->table_bytes);
    }
    if (submission->missing != 0) {
        fprintf(writer->out, "; not in memory:%s%s%s",
                (submission->missing & AGPU_CAPTURE_NO_STREAM) != 0 ? " stream" : "",
                (submission->missing & AGPU_CAPTURE_NO_TABLE) != 0 ? " table" : "",
                (submission->missing & AGPU_CAPTURE_NO_MEMORY) != 0 ? " allocation" : "");
    }
    putc('\n', writer->out);
}

static void print_registers(const struct agpu_capture_text *writer, const struct agpu_capture_item *item)
{
    char room[AGPU_REGISTER_NAME];

    fputs("state", writer->out);
    for (uint32_t i = 0; i < item->registers->count; i++) {
        struct agpu_capture_register reg;

        memcpy(&reg, item->tail + i * sizeof reg, sizeof reg);
        fprintf(writer->out, "%s %s 0x%x", i != 0 ? "," : "",
                agpu_register_name(writer->legacy, 0, reg.offset, room), reg.value);
    }
    putc('\n', writer->out);
}

static void print_back(const struct agpu_capture_text *writer, const struct agpu_capture_back *back)
{
    fprintf(writer->out, "back: fence %" PRIu64 ", head %u, finished up to submission %" PRIu64 ", ",
            back->fence, back->head, back->finished);
    if (back->pending == 0) {
        fputs("memory at rest\n", writer->out);
    } else {
        fprintf(writer->out, "%u under way\n", back->pending);
    }
}

static void print_record(void *ctx, const struct agpu_capture_item *item, bool legacy)
{
    struct agpu_capture_text *writer = ctx;

    writer->legacy = legacy;
    if (item->bytes != NULL) {
        hold_bytes(writer, item);
        return;
    }
    agpu_capture_text_end(writer);
    if (item->type == AGPU_CAPTURE_CASE) {
        fprintf(writer->out, "== case %s (%u)\n", item->text, item->test->index);
        return;
    }
    print_time(writer, item->time_ns);
    switch (item->type) {
    case AGPU_CAPTURE_DEVICE:
        print_device(writer, item);
        break;
    case AGPU_CAPTURE_CASE_END:
        fprintf(writer->out, "case ends: %s\n", item->text);
        break;
    case AGPU_CAPTURE_MAP:
        fprintf(writer->out, "map 0x%" PRIx64 ", 0x%" PRIx64 " bytes%s\n", item->map->address,
                item->map->size,
                item->map->kind == AGPU_CAPTURE_ZEROED ? ", zero"
                : item->map->kind == AGPU_CAPTURE_BAR  ? ", in a BAR of the device"
                                                       : "");
        break;
    case AGPU_CAPTURE_UNMAP:
        fprintf(writer->out, "unmap 0x%" PRIx64 ", 0x%" PRIx64 " bytes\n", item->map->address,
                item->map->size);
        break;
    case AGPU_CAPTURE_ACCESS:
        print_access(writer, item->access);
        break;
    case AGPU_CAPTURE_SUBMISSION:
        print_submission(writer, item->submission);
        break;
    case AGPU_CAPTURE_BACK:
        print_back(writer, item->back);
        break;
    case AGPU_CAPTURE_REGISTERS:
        print_registers(writer, item);
        break;
    case AGPU_CAPTURE_LINE:
        if (item->line->source == 0) {
            fprintf(writer->out, "INTA# %s\n", item->line->level != 0 ? "asserted" : "released");
        } else {
            fprintf(writer->out, "message by vector %u\n", item->line->source - 1);
        }
        break;
    case AGPU_CAPTURE_WAY:
        fprintf(writer->out, "interrupts by %s\n", agpu_way_name(item->way->way));
        break;
    case AGPU_CAPTURE_LOST:
        fprintf(writer->out, "! %" PRIu64 " records, %" PRIu64 " bytes are missing here: %s\n",
                item->lost->records, item->lost->bytes, item->text);
        break;
    default:
        fprintf(writer->out, "%s\n", item->text);
        break;
    }
}

static void print_entry(void *ctx, const struct aerogpu_alloc_entry *entry, uint32_t index)
{
    const struct agpu_capture_text *writer = ctx;

    fprintf(writer->out, "      table[%u]: allocation %u at 0x%" PRIx64 ", %" PRIu64 " bytes%s\n", index,
            entry->alloc_id, entry->gpa, entry->size_bytes,
            (entry->flags & AEROGPU_ALLOC_FLAG_READONLY) != 0 ? ", read only" : "");
}

static void print_remark(void *ctx, const char *text)
{
    fprintf(((const struct agpu_capture_text *)ctx)->out, "      ! %s\n", text);
}

struct agpu_capture_view_output agpu_capture_text_output(struct agpu_capture_text *writer, FILE *out)
{
    struct agpu_capture_view_output output = {
        .ctx = writer, .record = print_record, .entry = print_entry, .remark = print_remark};

    writer->out = out;
    writer->legacy = false;
    writer->memory.size = 0;
    output.stream = agpu_text_writer_output(&writer->stream, out);
    return output;
}
