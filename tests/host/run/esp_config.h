/* esp_config.h: a private copy of agpu.img that carries this run's agpu.cfg. */
#ifndef AGPU_HOST_RUN_ESP_CONFIG_H
#define AGPU_HOST_RUN_ESP_CONFIG_H

#include <stdbool.h>

/* Copies the file from to (replaced if it is there). False with a line on stderr. */
bool agpu_copy_file(const char *from, const char *to);

/* Writes text as the whole of a file. False with a line on stderr. */
bool agpu_write_text(const char *path, const char *text);

/* True for a disk, or an image of one, with a partition table: agpu.img, agpu.iso, a stick. */
bool agpu_esp_is_medium(const char *path);

/* The text of \EFI\AGPU\agpu.cfg in the EFI system partition of an image or disk; the caller frees it. NULL with a line on
 * stderr. */
char *agpu_esp_read_config(const char *image);

/* Writes text to \EFI\AGPU\agpu.cfg in the EFI system partition of an image or disk, with mtools. work_folder, if not NULL,
 * takes a temporary file that stays. False with a line on stderr. */
bool agpu_esp_write_config(const char *image, const char *work_folder, const char *text);

/* Makes of the disk image a disc (ISO 9660, El Torito) with the same EFI partition, in its place; one that is a disc already
 * stays. work_folder gets a copy of the partition. False with a line on stderr. */
bool agpu_esp_make_disc(const char *image, const char *work_folder);

#endif
