/* date.h: the current date. */
#ifndef AGPU_EFI_DATE_H
#define AGPU_EFI_DATE_H

#include <stdint.h>

/* Returns the date as a number, 20261231; 0 when the firmware does not know it. */
uint32_t agpu_date_today(void);

#endif
