/* boot_id.c: hashed from all that differs between boots: time of day, counter, and random numbers where there are any. */
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
    uint8_t random[16];
    uint64_t place; /* where the image lies */
};

static void gather(struct ingredients *from)
{
    EFI_RNG_PROTOCOL *rng = NULL;

    *from = (struct ingredients){.place = (uint64_t)(uintptr_t)from};
    agpu_system->RuntimeServices->GetTime(&from->time, NULL);
    if (!EFI_ERROR(agpu_boot->LocateProtocol((EFI_GUID *)(uintptr_t)&rng_guid, NULL, (void **)&rng))) {
        rng->GetRNG(rng, NULL, sizeof from->random, from->random);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        agpu_boot->Stall(1);
        from->counters[i] = agpu_tsc();
    }
}

const char *agpu_boot_id(void)
{
    static char id[AGPU_BOOT_ID_SIZE + 1];
    struct ingredients from;
    struct agpu_text text;
    uint8_t hash[32];

    if (id[0] != '\0') {
        return id;
    }
    gather(&from);
    mbedtls_sha256((const unsigned char *)&from, sizeof from, hash, 0);
    agpu_text_begin(&text, id, sizeof id);
    for (unsigned i = 0; i < AGPU_BOOT_ID_SIZE / 2; i++) {
        agpu_text_hex_digits(&text, hash[i], 2);
    }
    return id;
}
