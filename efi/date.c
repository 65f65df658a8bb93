/* date.c: reads the firmware's calendar. */
#include "efi/date.h"

#include <efi.h>

#include "efi/machine.h"

/* A clock with an empty battery shows an earlier year. */
#define EARLIEST_YEAR 2024u

uint32_t agpu_date_today(void)
{
    EFI_TIME now = {0};

    if (agpu_system->RuntimeServices->GetTime(&now, NULL) != EFI_SUCCESS || now.Year < EARLIEST_YEAR ||
        now.Month < 1 || now.Month > 12 || now.Day < 1 || now.Day > 31) {
        return 0;
    }
    return now.Year * 10000u + now.Month * 100u + now.Day;
}
