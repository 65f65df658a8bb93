/* boot_id.h: an id of this boot, different for each boot of each machine. It is not secret. */
#ifndef AGPU_EFI_BOOT_ID_H
#define AGPU_EFI_BOOT_ID_H

#include <stdint.h>

#define AGPU_BOOT_ID_SIZE 16 /* characters, hexadecimal */

/* Hashes everything that differs between boots and between calls. The hash is as random as the numbers of the firmware
 * (EFI_RNG_PROTOCOL) and the processor (RDRAND); without these, as the jitter of the clocks. Takes some tens of
 * microseconds and calls the firmware. */
void agpu_boot_random(uint8_t hash[32]);

/* Returns the same text at every call; the first call makes it. */
const char *agpu_boot_id(void);

#endif
