/* remove_tree.h: a test's working folder goes when the test is over. */
#ifndef AGPU_TEST_REMOVE_TREE_H
#define AGPU_TEST_REMOVE_TREE_H

/* Removes path and all below it; a link goes, not what it leads to. 0, or not when something is left, or nothing was there: errno
 * says why. */
int remove_tree(const char *path);

#endif
