/* remove_tree.h: removes a test's working directory. */
#ifndef AGPU_TEST_REMOVE_TREE_H
#define AGPU_TEST_REMOVE_TREE_H

/* Removes path and all below it; a link itself, not its target. Returns 0, or nonzero with errno set if something is
 * left or path did not exist. */
int remove_tree(const char *path);

#endif
