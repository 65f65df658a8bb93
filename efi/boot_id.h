/* boot_id.h: an id of this boot: no other boot of any machine has it. It is no secret. */
#ifndef AGPU_EFI_BOOT_ID_H
#define AGPU_EFI_BOOT_ID_H

#define AGPU_BOOT_ID_SIZE 16 /* characters, hexadecimal */

/* The same text at every call; made at the first. */
const char *agpu_boot_id(void);

#endif
