/* pack.c: reads and writes fuzz inputs. */
#include "tests/fuzz/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int agpu_pack_next(FILE *pack, uint8_t **bytes, size_t *size)
{
    uint8_t head[4];
    const size_t got = fread(head, 1, sizeof head, pack);

    *bytes = NULL;
    *size = 0;
    if (got == 0) {
        return ferror(pack) ? -1 : 0;
    }
    *size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    if (got < sizeof head || *size > AGPU_FUZZ_MAX_INPUT) {
        return -1;
    }
    *bytes = malloc(*size + (*size == 0));
    if (*bytes == NULL || fread(*bytes, 1, *size, pack) != *size) {
        free(*bytes);
        *bytes = NULL;
        return -1;
    }
    return 1;
}

bool agpu_pack_add(FILE *pack, const uint8_t *bytes, size_t size)
{
    const uint8_t head[4] = {(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16),
                             (uint8_t)(size >> 24)};

    return size <= AGPU_FUZZ_MAX_INPUT && fwrite(head, 1, sizeof head, pack) == sizeof head &&
           fwrite(bytes, 1, size, pack) == size;
}

uint8_t *agpu_input_read(const char *path, size_t *size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    uint8_t *bytes = NULL;

    if (fd < 0 || fstat(fd, &status) != 0) {
        goto out;
    }
    if (status.st_size > AGPU_FUZZ_MAX_INPUT) {
        errno = EFBIG;
        goto out;
    }
    *size = (size_t)status.st_size;
    bytes = malloc(*size + (*size == 0));
    if (bytes != NULL && read(fd, bytes, *size) != status.st_size) {
        free(bytes);
        bytes = NULL;
    }
out:
    if (fd >= 0) {
        close(fd); /* close it before the target runs, because one target counts descriptors */
    }
    return bytes;
}
