/* remove_tree.c: see remove_tree.h. */
#include "tests/unit/remove_tree.h"

#include <ftw.h>
#include <stdio.h>

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

int remove_tree(const char *path)
{
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
