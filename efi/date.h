/* date.h: what day it is. */
#ifndef AGPU_EFI_DATE_H
#define AGPU_EFI_DATE_H

#include <stdint.h>

/* 20261231; 0 when the firmware does not know. */
uint32_t agpu_date_today(void);

#endif
