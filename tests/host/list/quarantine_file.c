/* quarantine_file.c: reads a list of known failures. */
#include "tests/host/list/quarantine_file.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static uint32_t day_of_today(void)
{
    const time_t now = time(NULL);
    struct tm day;

    localtime_r(&now, &day);
    return (uint32_t)((day.tm_year + 1900) * 10000 + (day.tm_mon + 1) * 100 + day.tm_mday);
}

bool agpu_quarantine_load(const char *path, struct agpu_quarantine *list, FILE *complaints)
{
    char line[512];
    unsigned number = 0;
    bool good = true;
    FILE *file = fopen(path, "re");

    if (file == NULL) {
        fprintf(complaints, "quarantine %s: %s\n", path, strerror(errno));
        return false;
    }
    while (good && fgets(line, sizeof line, file) != NULL) {
        const char *text = line + strspn(line, " \t\r\n");
        size_t length = strlen(text);

        number++;
        while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) {
            length--;
        }
        if (length == 0 || text[0] == '#') {
            continue;
        }
        good = agpu_quarantine_add(list, text, length);
        if (!good) {
            fprintf(complaints, "quarantine %s line %u: %s\n", path, number,
                    list->count == AGPU_QUARANTINE_MAX ? "more than 64 entries" : AGPU_QUARANTINE_EXPECTED);
        }
    }
    good = good && ferror(file) == 0;
    fclose(file);
    list->today = day_of_today();
    return good;
}
