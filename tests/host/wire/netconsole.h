/* netconsole.h: parses the extended netconsole line (Linux Documentation/networking/netconsole.rst), which is the
 * same on UDP and on byte streams, and finds its start in a console line that firmware wrote to first. */
#ifndef AGPU_HOST_WIRE_NETCONSOLE_H
#define AGPU_HOST_WIRE_NETCONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sequence numbers from here on are refused: no machine sends that many, and JSON represents all below it exactly. */
#define AGPU_SEQ_LIMIT (UINT64_C(1) << 48)

struct agpu_packet {
    const char *level; /* start of the header, without a kernel release, in the line */
    uint64_t seq;
    uint64_t t_us;
    const char *text; /* points into the parsed line; no newline, no user data lines */
    size_t length;
    bool fragment; /* text is bytes offset.. of a record of total bytes */
    size_t offset;
    size_t total;
    bool newline; /* a newline followed text */
    /* run=[TOKEN.]BOOT in the header (efi/README.md): the sender, and the id of its current boot. Empty: not given. */
    const char *token, *boot;
    size_t token_length, boot_length;
    const char *mac; /* mac= in the header: AGPU_MAC_DIGITS hexadecimal digits; NULL: not given */
};

#define AGPU_TOKEN_MAX   32
#define AGPU_BOOT_ID_MAX 16
#define AGPU_MAC_DIGITS  32

/* Checks for [A-Za-z0-9_-]{1,max}: the alphabet of tokens and of boot ids. */
bool agpu_is_token(const char *text, size_t length, size_t max);

/* Parses `[release,]level,seq,t_us,flag[,key=value...];text`. Returns NULL on success, else the error. */
const char *agpu_packet_parse(const char *line, size_t length, struct agpu_packet *out);

/* Finds a packet anywhere in a console line: firmware may leave its last line unterminated before the image writes
 * its first. A candidate counts when it is a fragment, or when accept (the record parser) takes its text. */
bool agpu_packet_find(const char *line, size_t length,
                      bool (*accept)(void *ctx, const struct agpu_packet *packet), void *ctx,
                      struct agpu_packet *out);

#endif
