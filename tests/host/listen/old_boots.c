/* old_boots.c: a table of boot ids, with their senders. */
#include "tests/host/listen/old_boots.h"

#include <stdio.h>
#include <string.h>

#define OLD_BOOTS_MAX 65536

/* With a key no other sender can name a boot. */
static void old_boot_name(const struct agpu_old_boots *old, const struct agpu_sender *sender,
                          const char *boot, size_t length, char *name, size_t size)
{
    char address[AGPU_SENDER_TEXT_MAX] = "";

    if (!old->keyed) {
        agpu_sender_text(sender, address);
    }
    snprintf(name, size, "%.*s %s %u", (int)length, boot, address, old->keyed ? 0 : (unsigned)sender->port);
}

bool agpu_old_boots_have(const struct agpu_old_boots *old, const struct agpu_sender *sender, const char *boot,
                         size_t length)
{
    char name[120];

    old_boot_name(old, sender, boot, length, name, sizeof name);
    return length != 0 && agpu_tally_find(&old->names, name, false) != NULL;
}

bool agpu_old_boots_have_known(const struct agpu_old_boots *old, struct agpu_new_boot *known,
                               const struct agpu_sender *sender, const char *boot, size_t length)
{
    if (known->noted == old->noted && strlen(known->id) == length && memcmp(known->id, boot, length) == 0) {
        return false;
    }
    if (agpu_old_boots_have(old, sender, boot, length)) {
        return true;
    }
    memcpy(known->id, boot, length); /* at most AGPU_BOOT_ID_MAX bytes, as the packet was parsed */
    known->id[length] = '\0';
    known->noted = old->noted;
    return false;
}

void agpu_old_boots_note(struct agpu_old_boots *old, const struct agpu_sender *sender, const char *boot)
{
    const struct agpu_sender anywhere = {.ip = sender->ip, .scope = sender->scope};
    const struct agpu_sender *from[] = {sender, &anywhere};
    char name[120];

    if (boot[0] == '\0') {
        return;
    }
    old->noted++;
    if (old->names.size >= OLD_BOOTS_MAX) {
        agpu_tally_free(&old->names);
    }
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        old_boot_name(old, from[i], boot, strlen(boot), name, sizeof name);
        agpu_tally_of(&old->names, name, false);
    }
}

void agpu_old_boots_free(struct agpu_old_boots *old)
{
    agpu_tally_free(&old->names);
}
