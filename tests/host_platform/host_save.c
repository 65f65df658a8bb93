/* host_save.c: the memory of the BARs across save and restore. */
#include "tests/host_platform/host_save.h"

#include <stdio.h>
#include <sys/mman.h>

#include "tests/device/plugin/port.h"

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
