/* host_save.c: the schedule of save and restore, and the memory of the BARs across it. */
#include "tests/host_platform/host_save.h"

#include <stdio.h>
#include <sys/mman.h>

#include "tests/device/plugin/port.h"
#include "tests/device/plugin/table.h"

/* Sets a distance of 1 to 2 * every - 1 service points (SplitMix64). */
static void choose_distance(struct agpu_host_save *save)
{
    uint64_t mixed = save->random += UINT64_C(0x9E3779B97F4A7C15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    save->left = 1 + (mixed ^ mixed >> 31) % (2 * (uint64_t)save->every - 1);
}

bool agpu_host_save_start(struct agpu_host_save *save, struct vgpu_port *port, unsigned every, uint64_t seed,
                          char *message, size_t message_size)
{
    *save = (struct agpu_host_save){.every = every, .random = seed};
    if (every == 0) {
        return true;
    }
    choose_distance(save);
    if (!vgpu_table_can_save(vgpu_port_table(port))) {
        snprintf(message, message_size,
                 "it cannot be saved: expected save() and load() in its table, from minor version 1 on");
        return false;
    }
    return true;
}

bool agpu_host_save_due(struct agpu_host_save *save)
{
    if (save->every == 0 || --save->left != 0) {
        return false;
    }
    choose_distance(save);
    return true;
}

bool agpu_host_save_now(struct vgpu_port *port, const struct agpu_bar_mapping bars[AGPU_DEVICE_BARS])
{
    char message[400];
    bool restored = vgpu_port_save_and_restore(port, message, sizeof message);

    for (unsigned bar = 0; bar < AGPU_DEVICE_BARS; bar++) {
        if (bars[bar].cpu != NULL &&
            mmap(bars[bar].cpu, bars[bar].size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                 vgpu_port_info(port)->bars[bar].memory_fd, 0) == MAP_FAILED) {
            snprintf(message, sizeof message, "the memory of BAR%u cannot be mapped", bar);
            restored = false;
        }
    }
    if (!restored) {
        fprintf(stderr, "device %s: ERROR: not restored, so it starts again: %s\n",
                vgpu_port_table(port)->name, message);
    }
    return restored;
}
