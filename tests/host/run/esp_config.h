/* esp_config.h: a private copy of agpu.img that carries this run's agpu.cfg. */
#ifndef AGPU_HOST_RUN_ESP_CONFIG_H
#define AGPU_HOST_RUN_ESP_CONFIG_H

#include <stdbool.h>

/* Copies the file from to (replaced if it is there). False with a line on stderr. */
bool agpu_copy_file(const char *from, const char *to);

/* Writes text to \EFI\AGPU\agpu.cfg in the EFI system partition of the disk image, with mtools. work_folder
 * takes a temporary file. False with a line on stderr. */
bool agpu_esp_write_config(const char *image, const char *work_folder, const char *text);

/* Makes of the disk image a disc (ISO 9660, El Torito) with the same EFI partition, in its place; one that is a disc already
 * stays. work_folder gets a copy of the partition. False with a line on stderr. */
bool agpu_esp_make_disc(const char *image, const char *work_folder);

#endif
