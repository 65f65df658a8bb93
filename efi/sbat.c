/* sbat.c: data that shim checks before it starts an application: components and their generations, which
 * increase when a fault makes earlier ones unsuitable for Secure Boot. shim's page on SBAT describes the
 * format. */
#include "efi/build_id.h"

#define SBAT                                                                                                 \
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT"                               \
    ".md\n"                                                                                                  \
    "agpu,1,AeroGPU,aerogpu-bringup," AGPU_BUILD_ID ",none\n"

/* Text in its own section, without the terminating zero byte. */
__attribute__((used, section(".sbat"))) static const char sbat[sizeof SBAT - 1] = SBAT;
