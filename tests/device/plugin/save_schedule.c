/* save_schedule.c: pseudo-random distances between service points. */
#include "tests/device/plugin/save_schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/plugin/table.h"

bool vgpu_save_parse(const char *text, struct vgpu_save_schedule *schedule)
{
    const char *seed = strchr(text, ',');
    char *end;
    const unsigned long every = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;

    *schedule = (struct vgpu_save_schedule){.every = (unsigned)every, .random = 1};
    if (every == 0 || every > 1000000000 || (*end != '\0' && end != seed)) {
        return false;
    }
    if (seed == NULL) {
        return true;
    }
    errno = 0;
    schedule->random = strtoull(seed + 1, &end, 0);
    return seed[1] >= '0' && seed[1] <= '9' && *end == '\0' && errno == 0 && schedule->random != 0;
}

/* Sets a distance of 1 to 2 * every - 1 service points (SplitMix64). */
static void choose_distance(struct vgpu_save_schedule *schedule)
{
    uint64_t mixed = schedule->random += UINT64_C(0x9E3779B97F4A7C15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    schedule->left = 1 + (mixed ^ mixed >> 31) % (2 * (uint64_t)schedule->every - 1);
}

bool vgpu_save_start(struct vgpu_save_schedule *schedule, const struct agpu_device_plugin *table,
                     char *message, size_t message_size)
{
    if (schedule->every == 0) {
        return true;
    }
    choose_distance(schedule);
    if (!vgpu_table_can_save(table)) {
        snprintf(message, message_size,
                 "it cannot be saved: expected save() and load() in its table, from minor version 1 on");
        return false;
    }
    return true;
}

bool vgpu_save_due(struct vgpu_save_schedule *schedule)
{
    if (schedule->every == 0 || --schedule->left != 0) {
        return false;
    }
    choose_distance(schedule);
    return true;
}
