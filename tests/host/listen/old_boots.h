/* old_boots.h: boots whose runs are over: what still comes of them begins no run. */
#ifndef AGPU_HOST_LISTEN_OLD_BOOTS_H
#define AGPU_HOST_LISTEN_OLD_BOOTS_H

#include "tests/host/run/sender.h"
#include "tests/host/wire/netconsole.h"
#include "tests/host/wire/tally.h"

struct agpu_old_boots {
    bool keyed; /* nobody else can name a boot: wherever it comes from, it is that one */
    struct agpu_tally names;
    uint64_t noted; /* how often names changed */
};

/* The boot that one machine's datagrams name mostly: it was no old one, when so many were noted. Zero-initialised: none. */
struct agpu_new_boot {
    char id[AGPU_BOOT_ID_MAX + 1];
    uint64_t noted;
};

/* The run of this boot is over. Of a great many the earlier ones are forgotten. */
void agpu_old_boots_note(struct agpu_old_boots *old, const struct agpu_sender *sender, const char *boot);

/* Is it one? A stream's port is not that of the datagrams: a sender with port 0 stands for all of that address. */
bool agpu_old_boots_have(const struct agpu_old_boots *old, const struct agpu_sender *sender, const char *boot,
                         size_t length);
/* The same, of what its machine names again and again. */
bool agpu_old_boots_have_known(const struct agpu_old_boots *old, struct agpu_new_boot *known,
                               const struct agpu_sender *sender, const char *boot, size_t length);

void agpu_old_boots_free(struct agpu_old_boots *old);

#endif
