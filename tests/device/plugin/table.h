/* table.h: whether what a plug-in says of itself can be true; pure. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_TABLE_H
#define VGPU_TESTS_DEVICE_PLUGIN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"

/* Version, size, required members and name of a table. False with the reason, and what to do, in message. */
bool vgpu_table_check(const struct agpu_device_plugin *table, char *message, size_t message_size);

/* What describe() said, against what the six BAR registers answered after ones were written into each. */
bool vgpu_table_check_info(const struct agpu_device_info *info, const uint32_t ones[AGPU_DEVICE_BARS],
                           char *message, size_t message_size);

/* What describe() said at two calls: the same each time. */
bool vgpu_table_check_same(const struct agpu_device_info *first, const struct agpu_device_info *second,
                           char *message, size_t message_size);

/* As vgpu_table_check_info(), for MSI: vectors is what the capability in configuration space offers, 0 when there is none. */
bool vgpu_table_check_msi(const struct agpu_device_info *info, uint32_t vectors, char *message,
                          size_t message_size);

#endif
