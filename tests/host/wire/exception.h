/* exception.h: the processor exception that ended an image, as reported by the firmware or by the image itself. */
#ifndef AGPU_HOST_WIRE_EXCEPTION_H
#define AGPU_HOST_WIRE_EXCEPTION_H

#include <stddef.h>
#include <stdint.h>

#include "tests/host/wire/record.h"

/* Zero-initialised: no exception. */
struct agpu_exception {
    uint64_t seen_us;
    char text[160]; /* "": none */
    char place[80]; /* "; rip ..."; "": not reported */
};

/* Takes an error record of the image's own exception handler: the vector and the place. Only the first exception
 * counts. */
void agpu_exception_record(struct agpu_exception *exception, const struct agpu_parsed_record *record,
                           uint64_t now_us);

/* Takes a console line, which may be part of the dump of UefiCpuPkg's CPU exception handler. */
void agpu_exception_line(struct agpu_exception *exception, const char *line, size_t length, uint64_t now_us);

#endif
