/* control_frame.h: frames between image and `agpu ctl` (tests/handbook/control.md): types and sizes. Header,
 * hash and connection keys are those of stream_frame.h. */
#ifndef AGPU_EFI_PROTOCOL_CONTROL_FRAME_H
#define AGPU_EFI_PROTOCOL_CONTROL_FRAME_H

#include "efi/protocol/stream_frame.h"

#define AGPU_CTL_VERSION 1
#define AGPU_CTL_PORT    6668        /* TCP, unless agpu.cfg sets another */
#define AGPU_CTL_MAGIC   0x43504741u /* "AGPC" */

/* None of these is a type of the lossless stream. */
enum agpu_ctl_type {
    AGPU_CTL_HELLO = 17,     /* client, never hashed */
    AGPU_CTL_CHALLENGE = 18, /* image, never hashed */
    AGPU_CTL_PROOF = 19,     /* client: empty; proves that it has the key */
    AGPU_CTL_WELCOME = 20,   /* image: a row; proves that it has the key */
    AGPU_CTL_REQUEST = 21,   /* client: a line of text, and bytes */
    AGPU_CTL_NOTE = 22,      /* image, while it carries out a request: a line of text */
    AGPU_CTL_REPLY = 23,     /* image: rows, and bytes */
    AGPU_CTL_REFUSE = 24,    /* image, never hashed: a text that states the reason */
    AGPU_CTL_HALT =
        25, /* client, empty: no further cases. Sent in place of PROOF when another client is active; answered
             * by a REPLY of rows alone, after which the connection ends. Or sent while the client waits for
             * its answer */
};

/* HELLO: magic (4), version (1), zero (3), nonce (16). CHALLENGE: version (1), zero (3), nonce (16). */
#define AGPU_CTL_HELLO_SIZE     24
#define AGPU_CTL_CHALLENGE_SIZE 20
#define AGPU_CTL_REFUSE_MAX     160
/* The longest frame of a peer that has not proven anything. */
#define AGPU_CTL_GREETING_MAX (AGPU_WIRE_HEADER + AGPU_CTL_HELLO_SIZE + AGPU_WIRE_MAC)

/* REQUEST: bytes of text (2), zero (2), text, bytes. REPLY: bytes of text (2), good (1), zero (1), text,
 * bytes. */
#define AGPU_CTL_HEAD        4
#define AGPU_CTL_COMMAND_MAX 300   /* text of a request */
#define AGPU_CTL_STREAM_MAX  49152 /* bytes after it: a command stream */
#define AGPU_CTL_TEXT_MAX    16384 /* text of a reply; for a note AGPU_CTL_NOTE_MAX */
#define AGPU_CTL_NOTE_MAX    1024
#define AGPU_CTL_DATA_MAX    16384 /* bytes after it */
#define AGPU_CTL_REQUEST_MAX (AGPU_CTL_HEAD + AGPU_CTL_COMMAND_MAX + AGPU_CTL_STREAM_MAX)
#define AGPU_CTL_REPLY_MAX   (AGPU_CTL_HEAD + AGPU_CTL_TEXT_MAX + AGPU_CTL_DATA_MAX)
#define AGPU_CTL_FRAME_OF(n) (AGPU_WIRE_HEADER + (n) + AGPU_WIRE_MAC)

#endif
