/* save_schedule.h: chooses the service points at which a tool saves and restores a device. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_SAVE_SCHEDULE_H
#define VGPU_TESTS_DEVICE_PLUGIN_SAVE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"

/* The schedule of one device. */
struct vgpu_save_schedule {
    unsigned every;  /* service points from one to the next on average; 0: never */
    uint64_t random; /* the seed, then the state of the generator */
    uint64_t left;   /* service points until the next */
};

#define VGPU_SAVE_EXPECTED                                                                                   \
    "expected a number of service points, from 1 to 1000000000, and perhaps a seed from 1, as 100,7"

/* Parses N or N,SEED. Returns false for another text. */
bool vgpu_save_parse(const char *text, struct vgpu_save_schedule *schedule);

/* Starts a schedule. Returns false with a message when the device cannot be saved. */
bool vgpu_save_start(struct vgpu_save_schedule *schedule, const struct agpu_device_plugin *table,
                     char *message, size_t message_size);

/* Call at each service point. Returns true when the device must be saved and restored now. */
bool vgpu_save_due(struct vgpu_save_schedule *schedule);

#endif
