/* boot_id.h: an id of this boot: no other boot of any machine has it. It is no secret. */
#ifndef AGPU_EFI_BOOT_ID_H
#define AGPU_EFI_BOOT_ID_H

#include <stdint.h>

#define AGPU_BOOT_ID_SIZE 16 /* characters, hexadecimal */

/* A hash of all that differs between boots, and between calls. As good as the random numbers of firmware (EFI_RNG_PROTOCOL)
 * and processor (RDRAND); where there are none, as the jitter of their clocks. Takes some tens of microseconds; firmware is called. */
void agpu_boot_random(uint8_t hash[32]);

/* The same text at every call; made at the first. */
const char *agpu_boot_id(void);

#endif
