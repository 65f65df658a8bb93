/* boot_id.c: hashes everything that differs between boots: time of day, time stamp counter, and random
 * numbers of firmware and processor where available. */
#include "efi/boot_id.h"

#include "efi/clock.h"
#include "efi/machine.h"
#include "mbedtls/sha256.h"
#include "pci/machine/text.h"

#define ROUNDS 16

static const EFI_GUID rng_guid = EFI_RNG_PROTOCOL_GUID;

struct ingredients {
    uint64_t counters[ROUNDS];
    EFI_TIME time;
    uint8_t random[16]; /* from the firmware */
    uint64_t drawn[4];  /* from the processor */
    uint64_t place;     /* stack address */
};

#define CPUID_FEATURES        1
#define CPUID_FEATURES_RDRAND (1u << 30) /* ECX */

static void draw_from_processor(uint64_t *out, unsigned count)
{
    uint32_t leaf = CPUID_FEATURES, ebx, features = 0, edx;

    __asm__ volatile("cpuid" : "+a"(leaf), "=b"(ebx), "+c"(features), "=d"(edx));
    for (unsigned i = 0; (features & CPUID_FEATURES_RDRAND) != 0 && i < count; i++) {
        __asm__ volatile("rdrand %0" : "=r"(out[i]) : : "cc"); /* 0 when no random number is ready */
    }
}

static void gather(struct ingredients *from)
{
    EFI_RNG_PROTOCOL *rng = NULL;

    *from = (struct ingredients){.place = (uint64_t)(uintptr_t)from};
    agpu_system->RuntimeServices->GetTime(&from->time, NULL);
    if (!EFI_ERROR(agpu_boot->LocateProtocol((EFI_GUID *)(uintptr_t)&rng_guid, NULL, (void **)&rng))) {
        rng->GetRNG(rng, NULL, sizeof from->random, from->random);
    }
    draw_from_processor(from->drawn, sizeof from->drawn / sizeof from->drawn[0]);
    for (unsigned i = 0; i < ROUNDS; i++) {
        agpu_boot->Stall(1);
        from->counters[i] = agpu_tsc();
    }
}

void agpu_boot_random(uint8_t hash[32])
{
    struct ingredients from;

    gather(&from);
    mbedtls_sha256((const unsigned char *)&from, sizeof from, hash, 0);
}

const char *agpu_boot_id(void)
{
    static char id[AGPU_BOOT_ID_SIZE + 1];
    struct agpu_text text;
    uint8_t hash[32];

    if (id[0] != '\0') {
        return id;
    }
    agpu_boot_random(hash);
    agpu_text_begin(&text, id, sizeof id);
    for (unsigned i = 0; i < AGPU_BOOT_ID_SIZE / 2; i++) {
        agpu_format(&text, "%02X", hash[i]);
    }
    return id;
}
