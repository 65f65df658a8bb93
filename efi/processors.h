/* processors.h: a second processor by EFI_MP_SERVICES_PROTOCOL (Platform Initialization specification, volume 2, 13.4).
 */
#ifndef AGPU_EFI_PROCESSORS_H
#define AGPU_EFI_PROCESSORS_H

#include "efi/machine.h"
#include "pci/machine/platform.h"

/* See run_beside of struct agpu_platform; uses no ctx. AGPU_ERR_TIMEOUT: the task has not returned. */
enum agpu_status agpu_processors_run_beside(void *ctx, void (*task)(void *arg), void (*here)(void *arg),
                                            void *arg, struct agpu_text *why);

#endif
