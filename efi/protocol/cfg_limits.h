/* cfg_limits.h: the longest values of agpu.cfg, in bytes. The image refuses longer ones and uses the default,
 * so the program that writes the file must refuse them first. */
#ifndef AGPU_EFI_PROTOCOL_CFG_LIMITS_H
#define AGPU_EFI_PROTOCOL_CFG_LIMITS_H

#define AGPU_CONFIG_FILTER_MAX  1000 /* filter, allow_skips */
#define AGPU_CONFIG_REQUIRE_MAX 200  /* require, expect */
#define AGPU_CONFIG_DEVICE_MAX  100  /* the words of device= that choose functions */
#define AGPU_CONFIG_AFTER_MAX   200
#define AGPU_CONFIG_TOKEN_MAX   32
#define AGPU_CONFIG_KEY_SIZE    32    /* bytes; the value has twice as many digits */
#define AGPU_CONFIG_FILE_MAX    65536 /* the whole file */

#endif
