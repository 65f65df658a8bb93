/* tally.c: a search tree of texts. */
#include "tests/host/wire/tally.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_entries(const void *a, const void *b)
{
    const struct agpu_tally_entry *x = a;
    const struct agpu_tally_entry *y = b;

    return x->flag != y->flag ? (x->flag ? 1 : -1) : strcmp(x->text, y->text);
}

static void free_entry(void *node)
{
    struct agpu_tally_entry *entry = node;

    free(entry->text);
    free(entry);
}

struct agpu_tally_entry *agpu_tally_find(const struct agpu_tally *tally, const char *text, bool flag)
{
    const struct agpu_tally_entry key = {.text = (char *)(uintptr_t)text, .flag = flag};
    void *node = tfind(&key, &tally->tree, compare_entries);

    return node != NULL ? *(struct agpu_tally_entry **)node : NULL;
}

struct agpu_tally_entry *agpu_tally_of(struct agpu_tally *tally, const char *text, bool flag)
{
    struct agpu_tally_entry *entry = agpu_tally_find(tally, text, flag);

    if (entry != NULL) {
        return entry;
    }
    entry = calloc(1, sizeof *entry);
    if (entry == NULL || (entry->text = strdup(text)) == NULL) {
        free(entry);
        return NULL;
    }
    entry->flag = flag;
    entry->number = tally->size;
    if (tsearch(entry, &tally->tree, compare_entries) == NULL) {
        free_entry(entry);
        return NULL;
    }
    tally->size++;
    return entry;
}

void agpu_tally_free(struct agpu_tally *tally)
{
    tdestroy(tally->tree, free_entry);
    *tally = (struct agpu_tally){0};
}
