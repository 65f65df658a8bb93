/* sbat.c: what shim wants to know of an application before it starts it: components and their generations, counted up when a fault
 * makes earlier ones unfit for Secure Boot; shim's own page on SBAT has the format. */
#include "efi/build_id.h"

#define SBAT                                                                                                 \
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT"                               \
    ".md\n"                                                                                                  \
    "agpu,1,AeroGPU,aerogpu-bringup," AGPU_BUILD_ID ",none\n"

/* A text of its own section, without the zero byte. */
__attribute__((used, section(".sbat"))) static const char sbat[sizeof SBAT - 1] = SBAT;
