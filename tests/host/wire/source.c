/* source.c: names of the sources. */
#include "tests/host/wire/source.h"

const char *agpu_source_name(enum agpu_source source)
{
    static const char *const names[AGPU_SOURCE_COUNT] = {[AGPU_SOURCE_UDP] = "udp",
                                                         [AGPU_SOURCE_DEBUGCON] = "debugcon",
                                                         [AGPU_SOURCE_SERIAL] = "serial",
                                                         [AGPU_SOURCE_STREAM] = "stream"};

    return names[source];
}
