/* cfg_limits.h: the longest values that agpu.cfg may have, in bytes: the image refuses longer ones and goes on with the
 * default, so whoever writes the file for it refuses them first. */
#ifndef AGPU_EFI_PROTOCOL_CFG_LIMITS_H
#define AGPU_EFI_PROTOCOL_CFG_LIMITS_H

#define AGPU_CONFIG_FILTER_MAX  1000 /* filter, allow_skips */
#define AGPU_CONFIG_REQUIRE_MAX 200  /* require, expect */
#define AGPU_CONFIG_DEVICE_MAX  100  /* of the words of device= that pick functions */
#define AGPU_CONFIG_AFTER_MAX   200
#define AGPU_CONFIG_TOKEN_MAX   32
#define AGPU_CONFIG_KEY_SIZE    32    /* bytes, twice as many digits */
#define AGPU_CONFIG_FILE_MAX    65536 /* the whole file */

#endif
