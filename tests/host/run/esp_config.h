/* esp_config.h: a private copy of agpu.img that carries this run's agpu.cfg. */
#ifndef AGPU_HOST_RUN_ESP_CONFIG_H
#define AGPU_HOST_RUN_ESP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/host/run/hardware.h"

/* Finds a file of the same build beside agpu.img, such as agpu.debug. Returns false when there is none; path has the
 * expected place in both cases. */
bool agpu_find_beside(const char *image, const char *name, char *path, size_t size);

/* Finds the file that this machine boots: image, or a file beside it. Returns false when there is none; path has the
 * expected place in both cases. */
bool agpu_find_medium(const char *image, const struct agpu_hardware *hardware, char *path, size_t size);

/* Copies the file from to the file to, replacing it. Returns false with a line on stderr. */
bool agpu_copy_file(const char *from, const char *to);

/* Replaces the contents of a file with text. Returns false with a line on stderr. */
bool agpu_write_text(const char *path, const char *text);

/* Returns true for a disk, or an image of one, with a partition table: agpu.img, agpu.iso, a USB stick. */
bool agpu_esp_is_medium(const char *path);

/* Returns the text of \EFI\AGPU\agpu.cfg in the EFI system partition of an image or disk; the caller frees it. NULL
 * with a line on stderr. */
char *agpu_esp_read_config(const char *image);

/* Writes text to \EFI\AGPU\agpu.cfg in the EFI system partition of an image or disk, with mtools. If work_folder is
 * not NULL, a temporary file is left there. Returns false with a line on stderr. */
bool agpu_esp_write_config(const char *image, const char *work_folder, const char *text);

#endif
