/* old_boots.h: boots whose runs have ended: their late datagrams must not start a run. */
#ifndef AGPU_HOST_LISTEN_OLD_BOOTS_H
#define AGPU_HOST_LISTEN_OLD_BOOTS_H

#include "tests/host/run/sender.h"
#include "tests/host/wire/netconsole.h"
#include "tests/host/wire/tally.h"

struct agpu_old_boots {
    bool keyed; /* boot ids are authenticated, so an id is the same boot from any address */
    struct agpu_tally names;
    uint64_t noted; /* number of changes to the names */
};

/* The boot that most datagrams of one machine name: it was not an old one when `noted` had this value.
 * Zero-initialised: none. */
struct agpu_new_boot {
    char id[AGPU_BOOT_ID_MAX + 1];
    uint64_t noted;
};

/* Records that the run of this boot has ended. When there are very many, discards the oldest. */
void agpu_old_boots_note(struct agpu_old_boots *old, const struct agpu_sender *sender, const char *boot);

/* Returns true for an old boot. The port of a stream differs from that of the datagrams: a sender with port 0
 * matches all of that address. */
bool agpu_old_boots_have(const struct agpu_old_boots *old, const struct agpu_sender *sender, const char *boot,
                         size_t length);
/* Like agpu_old_boots_have(), with a cache for a machine that names the same boot repeatedly. */
bool agpu_old_boots_have_known(const struct agpu_old_boots *old, struct agpu_new_boot *known,
                               const struct agpu_sender *sender, const char *boot, size_t length);

void agpu_old_boots_free(struct agpu_old_boots *old);

#endif
