/* aerogpu_umd_private.h: description of the adapter that the kernel-mode driver passes to the user-mode driver (ring.md
 * 10); the device never reads it. */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_UMD_PRIVATE_H
#define AGPU_RING_PROTOCOL_AEROGPU_UMD_PRIVATE_H

#include <stdint.h>

/* Values and offsets of the identification registers, repeated here because both ABI generations use this blob. */
#define AEROGPU_UMDPRIV_MMIO_MAGIC_LEGACY_ARGP 0x41524750u
#define AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU    0x55504741u

#define AEROGPU_UMDPRIV_MMIO_REG_MAGIC       0x0000u
#define AEROGPU_UMDPRIV_MMIO_REG_ABI_VERSION 0x0004u
#define AEROGPU_UMDPRIV_MMIO_REG_FEATURES_LO 0x0008u
#define AEROGPU_UMDPRIV_MMIO_REG_FEATURES_HI 0x000Cu

/* Bits of device_features: FEATURES of the versioned device (device.md 4.1). */
#define AEROGPU_UMDPRIV_FEATURE_FENCE_PAGE 0x01u
#define AEROGPU_UMDPRIV_FEATURE_CURSOR     0x02u
#define AEROGPU_UMDPRIV_FEATURE_SCANOUT    0x04u
#define AEROGPU_UMDPRIV_FEATURE_VBLANK     0x08u
#define AEROGPU_UMDPRIV_FEATURE_TRANSFER   0x10u
#define AEROGPU_UMDPRIV_FEATURE_ERROR_INFO 0x20u

#define AEROGPU_UMDPRIV_STRUCT_VERSION_V1 0x1u

/* Bits of flags. */
#define AEROGPU_UMDPRIV_FLAG_IS_LEGACY      0x1u
#define AEROGPU_UMDPRIV_FLAG_HAS_VBLANK     0x2u
#define AEROGPU_UMDPRIV_FLAG_HAS_FENCE_PAGE 0x4u /* configured, not merely supported */

/* Packed: device_features lies at offset 20. A consumer requires size_bytes >= 64 and version 1. */
struct aerogpu_umd_private_v1 {
    uint32_t size_bytes;
    uint32_t struct_version;         /* AEROGPU_UMDPRIV_STRUCT_VERSION_V1 */
    uint32_t device_mmio_magic;      /* raw BAR0[0] */
    uint32_t device_abi_version_u32; /* raw BAR0[4] */
    uint32_t reserved0;
    uint64_t device_features; /* AEROGPU_UMDPRIV_FEATURE_*, 0 for legacy */
    uint32_t flags;           /* AEROGPU_UMDPRIV_FLAG_* */
    uint32_t reserved1;
    uint32_t reserved2;
    uint64_t reserved3[3];
} __attribute__((packed, aligned(4)));

#endif
