/* spirv_files.c: see spirv_files.h. */
#include "tests/device/render/spirv_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/device/render/cache_folder.h"
#include "tests/device/render/shaderc_wire.h"

#define FILE_MAGIC     0x32565053u /* "SPV2" */
#define SECRET_NAME    "secret"
#define NAME_BYTES     80
#define MOST_SAVED     (UINT64_C(64) << 20) /* by one process, because a guest can create shaders without limit */
#define MOST_IN_FOLDER (UINT64_C(256) << 20)

_Static_assert(VGPU_SPIRV_SECRET_BYTES == crypto_auth_hmacsha256_KEYBYTES,
               "the secret is the key of the seal");

/* Header of a file; the words follow. */
struct file_header {
    uint32_t magic;
    uint32_t size;
    struct vgpu_spirv_key key;
    uint8_t seal[crypto_auth_hmacsha256_BYTES];
};

static void seal_of(const struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key,
                    const uint32_t *words, uint32_t size, uint8_t seal[crypto_auth_hmacsha256_BYTES])
{
    crypto_auth_hmacsha256_state state;

    crypto_auth_hmacsha256_init(&state, files->secret, sizeof files->secret);
    crypto_auth_hmacsha256_update(&state, key->bytes, sizeof key->bytes);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)&size, sizeof size);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)words, size);
    crypto_auth_hmacsha256_final(&state, seal);
}

static void name_of(const struct vgpu_spirv_key *key, char name[NAME_BYTES])
{
    char digits[2 * sizeof key->bytes + 1];

    sodium_bin2hex(digits, sizeof digits, key->bytes, sizeof key->bytes);
    snprintf(name, NAME_BYTES, "%s.spv", digits);
}

/* Opens a regular file of this user without blocking on a FIFO or following a link. Returns -1 on failure. */
static int open_own(int folder, const char *name, struct stat *about)
{
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, about) == 0 && S_ISREG(about->st_mode) && about->st_uid == geteuid()) {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static bool read_whole(int fd, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = read(fd, (char *)bytes + done, size - done);

        if (count <= 0) {
            return false;
        }
        done += (size_t)count;
    }
    return true;
}

static bool write_whole(int fd, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = write(fd, (const char *)bytes + done, size - done);

        if (count <= 0) {
            return false;
        }
        done += (size_t)count;
    }
    return true;
}

/* Creates a file for this user alone, with an unpredictable name. */
static int create_temporary(int folder, char name[NAME_BYTES])
{
    uint8_t random[16];
    char digits[2 * sizeof random + 1];

    randombytes_buf(random, sizeof random);
    sodium_bin2hex(digits, sizeof digits, random, sizeof random);
    snprintf(name, NAME_BYTES, "new-%s", digits);
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool read_secret(struct vgpu_spirv_files *files)
{
    struct stat about;
    const int fd = open_own(files->folder, SECRET_NAME, &about);
    const bool whole = fd >= 0 && about.st_size == sizeof files->secret &&
                       (about.st_mode & (S_IRWXG | S_IRWXO)) == 0 &&
                       read_whole(fd, files->secret, sizeof files->secret);

    if (fd >= 0) {
        close(fd);
    }
    return whole;
}

/* When two processes start together, one of them creates the secret and both read it. */
static bool make_secret(struct vgpu_spirv_files *files)
{
    uint8_t secret[VGPU_SPIRV_SECRET_BYTES];
    char name[NAME_BYTES];
    const int fd = create_temporary(files->folder, name);
    bool whole;

    if (fd < 0) {
        return false;
    }
    randombytes_buf(secret, sizeof secret);
    whole = write_whole(fd, secret, sizeof secret);
    whole = close(fd) == 0 && whole &&
            (linkat(files->folder, name, files->folder, SECRET_NAME, 0) == 0 || errno == EEXIST);
    unlinkat(files->folder, name, 0);
    return whole && read_secret(files);
}

/* Removes all files of the directory when they exceed MOST_IN_FOLDER. */
static void bound_folder(const struct vgpu_spirv_files *files)
{
    const int fd = openat(files->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    uint64_t total = 0;

    if (list == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    for (int pass = 0; pass < 2 && (pass == 0 || total > MOST_IN_FOLDER); pass++) {
        const struct dirent *entry;
        struct stat about;

        rewinddir(list);
        while ((entry = readdir(list)) != NULL) {
            const size_t length = strlen(entry->d_name);

            if (fstatat(files->folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
                !S_ISREG(about.st_mode) || length < 4 || strcmp(entry->d_name + length - 4, ".spv") != 0) {
                continue;
            }
            if (pass == 0) {
                total += (uint64_t)about.st_size;
            } else {
                unlinkat(files->folder, entry->d_name, 0);
            }
        }
    }
    closedir(list);
}

bool vgpu_spirv_files_open(struct vgpu_spirv_files *files, const char *folder, const char **why)
{
    *files = (struct vgpu_spirv_files){.folder = -1};
    *why = NULL;
    if (sodium_init() < 0) {
        return false;
    }
    files->folder = vgpu_cache_folder_open(folder, why);
    if (files->folder < 0) {
        return false;
    }
    if (!read_secret(files)) {
        unlinkat(files->folder, SECRET_NAME, 0);
        if (!make_secret(files)) {
            vgpu_spirv_files_close(files);
            return false;
        }
    }
    bound_folder(files);
    return true;
}

void vgpu_spirv_files_close(struct vgpu_spirv_files *files)
{
    if (files->folder >= 0) {
        close(files->folder);
        files->folder = -1;
    }
}

void vgpu_spirv_files_remove(const struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key)
{
    char name[NAME_BYTES];

    if (files->folder >= 0) {
        name_of(key, name);
        unlinkat(files->folder, name, 0);
    }
}

static uint32_t *read_entry(const struct vgpu_spirv_files *files, int fd, const struct stat *about,
                            const struct vgpu_spirv_key *key, uint32_t *size)
{
    struct file_header header;
    uint8_t seal[sizeof header.seal];
    uint32_t *words;

    if (!read_whole(fd, &header, sizeof header) || header.magic != FILE_MAGIC || header.size < 20 ||
        header.size % 4 != 0 || header.size > VGPU_SHADERC_MAX_SPIRV ||
        about->st_size != (off_t)(sizeof header + header.size) ||
        memcmp(&header.key, key, sizeof *key) != 0) {
        return NULL;
    }
    words = malloc(header.size);
    if (words == NULL) {
        return NULL;
    }
    if (read_whole(fd, words, header.size)) {
        seal_of(files, key, words, header.size, seal);
        if (sodium_memcmp(seal, header.seal, sizeof seal) == 0) {
            *size = header.size;
            return words;
        }
    }
    free(words);
    return NULL;
}

uint32_t *vgpu_spirv_files_load(const struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key,
                                uint32_t *size)
{
    char name[NAME_BYTES];
    struct stat about;
    uint32_t *words = NULL;
    int fd;

    if (files->folder < 0) {
        return NULL;
    }
    name_of(key, name);
    fd = open_own(files->folder, name, &about);
    if (fd >= 0) {
        words = read_entry(files, fd, &about, key, size);
        close(fd);
    }
    if (words == NULL) {
        unlinkat(files->folder, name, 0); /* an invalid file would block its replacement */
    }
    return words;
}

void vgpu_spirv_files_save(struct vgpu_spirv_files *files, const struct vgpu_spirv_key *key,
                           const uint32_t *words, uint32_t size)
{
    struct file_header header = {.magic = FILE_MAGIC, .size = size, .key = *key};
    char name[NAME_BYTES], temporary[NAME_BYTES];
    bool whole;
    int fd;

    if (files->folder < 0 || files->saved + size > MOST_SAVED) {
        return;
    }
    fd = create_temporary(files->folder, temporary);
    if (fd < 0) {
        return;
    }
    seal_of(files, key, words, size, header.seal);
    name_of(key, name);
    whole = write_whole(fd, &header, sizeof header) && write_whole(fd, words, size);
    whole = close(fd) == 0 && whole;
    if (!whole || renameat(files->folder, temporary, files->folder, name) != 0) {
        unlinkat(files->folder, temporary, 0);
    }
    files->saved += size;
}
