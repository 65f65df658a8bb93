/* table.h: checks the table and the description of a plug-in; no side effects. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_TABLE_H
#define VGPU_TESTS_DEVICE_PLUGIN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"

/* Checks version, size, required members and name of a table. Returns false with the reason and the remedy in
 * message. */
bool vgpu_table_check(const struct agpu_device_plugin *table, char *message, size_t message_size);

/* True when the device has save() and load(), which minor version 0 lacks. */
bool vgpu_table_can_save(const struct agpu_device_plugin *table);

/* Checks the result of describe() against the values of the six BAR registers after all ones were written to
 * each. */
bool vgpu_table_check_info(const struct agpu_device_info *info, const uint32_t ones[AGPU_DEVICE_BARS],
                           char *message, size_t message_size);

/* Checks that two calls of describe() gave the same result. */
bool vgpu_table_check_same(const struct agpu_device_info *first, const struct agpu_device_info *second,
                           char *message, size_t message_size);

/* Does the same as vgpu_table_check_info() for MSI. vectors is the number in the capability in configuration
 * space; 0: there is none. */
bool vgpu_table_check_msi(const struct agpu_device_info *info, uint32_t vectors, char *message,
                          size_t message_size);

#endif
