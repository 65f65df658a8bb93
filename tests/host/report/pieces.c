/* pieces.c: accepts each piece of a file once, after its record. */
#include "tests/host/report/pieces.h"

#include <string.h>

bool agpu_pieces_cut(const char *item, size_t size, size_t *message, const char **piece, size_t *piece_size)
{
    const char *newline = memchr(item, '\n', size);

    if (newline == NULL) {
        return false;
    }
    *message = (size_t)(newline - item) + 1;
    *piece = newline + 1;
    *piece_size = size - *message;
    return *piece_size != 0;
}

static bool announces(const struct agpu_parsed_record *record)
{
    return record->type == AGPU_RECORD_ARTIFACT &&
           agpu_record_field(record, AGPU_KEY(ARTIFACT, data)) == NULL;
}

void agpu_pieces_announced(struct agpu_pieces *pieces, const struct agpu_parsed_record *record)
{
    pieces->announced += announces(record);
}

const char *agpu_pieces_take(struct agpu_pieces *pieces, const struct agpu_collector *collector,
                             const char *boot, const char *message, size_t size, size_t piece_size,
                             struct agpu_parsed_record *record)
{
    struct agpu_seq_stretch hole;
    struct agpu_packet packet;

    if (agpu_packet_parse(message, size, &packet) != NULL ||
        agpu_record_parse(packet.text, packet.length, record) != NULL || !announces(record) ||
        agpu_record_count(record, AGPU_KEY(ARTIFACT, bytes), 0) != piece_size) {
        return "its record does not announce it";
    }
    if (strcmp(agpu_collector_boot(collector), boot) != 0 ||
        !agpu_seq_set_has(agpu_collector_here(collector), packet.seq)) {
        return "its record was rejected";
    }
    if (strcmp(pieces->boot, boot) != 0) {
        agpu_seq_set_free(&pieces->came);
        strcpy(pieces->boot, boot); /* at most AGPU_BOOT_ID_MAX bytes, as the greeting was checked */
    }
    if (agpu_seq_set_has(&pieces->came, packet.seq)) {
        return "it is a duplicate";
    }
    if (!agpu_seq_set_add(&pieces->came, packet.seq, &hole)) {
        return "memory is exhausted";
    }
    pieces->taken++;
    return NULL;
}

uint64_t agpu_pieces_missing(const struct agpu_pieces *pieces)
{
    return pieces->announced > pieces->taken ? pieces->announced - pieces->taken : 0;
}

void agpu_pieces_free(struct agpu_pieces *pieces)
{
    agpu_seq_set_free(&pieces->came);
}
