/* artifacts.c: stores pieces of files, in any order and with limits, under artifacts/. */
#include "tests/host/report/artifacts.h"
#include "tests/host/below.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int base64_sextet(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

long agpu_base64_decode(const char *text, size_t length, unsigned char *out)
{
    if (length % 4 != 0) {
        return -1;
    }
    long size = 0;
    for (size_t i = 0; i < length; i += 4) {
        size_t pad =
            i + 4 == length ? (size_t)(text[i + 3] == '=') + (text[i + 3] == '=' && text[i + 2] == '=') : 0;
        uint32_t bits = 0;
        for (size_t k = 0; k < 4; k++) {
            int value = k >= 4 - pad ? 0 : base64_sextet(text[i + k]);

            if (value < 0) {
                return -1;
            }
            bits = bits << 6 | (uint32_t)value;
        }
        for (size_t k = 0; k < 3 - pad; k++) {
            out[size++] = (unsigned char)(bits >> (16 - 8 * k));
        }
    }
    return size;
}

bool agpu_artifact_file_name(const char *id, const char *name, char *out, size_t size)
{
    int n = snprintf(out, size, "%s-%s", id, name);

    if (n <= 0 || (size_t)n >= size || n > 200) {
        return false;
    }
    for (char *p = out; *p; p++) {
        bool good = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                    *p == '_' || *p == '-' || (*p == '.' && p > out);

        if (!good) {
            *p = '_';
        }
    }
    return true;
}

static const char *write_piece(struct agpu_artifacts *artifacts, int folder, const char *name,
                               const void *bytes, size_t size, uint64_t offset)
{
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0 && errno == ENOENT) {
        if (artifacts->files == AGPU_ARTIFACT_FILES_MAX) {
            return "more than 1024 artifacts in one run";
        }
        artifacts->files++;
        fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    }
    if (fd < 0) {
        return "the file cannot be created";
    }
    bool good = pwrite(fd, bytes, size, (off_t)offset) == (ssize_t)size;
    good = close(fd) == 0 && good;
    return good ? NULL : "the file cannot be written";
}

const char *agpu_artifacts_put(struct agpu_artifacts *artifacts, const struct agpu_parsed_record *record,
                               const void *bytes, size_t length)
{
    char name[256];
    const char *wrong;
    int folder;
    uint64_t size = agpu_record_count(record, AGPU_KEY(ARTIFACT, size), UINT64_MAX);
    uint64_t offset = agpu_record_count(record, AGPU_KEY(ARTIFACT, offset), UINT64_MAX);

    if (size > AGPU_ARTIFACT_MAX || offset > size || length > size - offset) {
        return "larger than 64 MiB, or a piece past its end";
    }
    artifacts->bytes += length;
    if (artifacts->bytes > AGPU_ARTIFACTS_MAX) {
        return "more than 512 MiB of artifacts in one run";
    }
    /* With several devices each case of each device has its own file. */
    const struct agpu_field *device = agpu_record_field(record, AGPU_KEY(EVERY, device));
    char id[AGPU_CASE_NAME_MAX + 1];
    snprintf(id, sizeof id, "%.*s%s%s", AGPU_DEVICE_NAME_MAX, device != NULL ? device->text : "",
             device != NULL ? "-" : "", record->id);
    if (!agpu_artifact_file_name(id, agpu_record_text(record, AGPU_KEY(ARTIFACT, name), ""), name,
                                 sizeof name)) {
        return "its name is too long";
    }
    folder = agpu_below_folder(artifacts->folder, "artifacts");
    if (folder < 0) {
        return "the folder artifacts/ cannot be made";
    }
    wrong = write_piece(artifacts, folder, name, bytes, length, offset);
    close(folder);
    return wrong;
}

const char *agpu_artifacts_add(struct agpu_artifacts *artifacts, const struct agpu_parsed_record *record)
{
    unsigned char bytes[AGPU_RECEIVED_TEXT_MAX];
    const struct agpu_field *data = agpu_record_field(record, AGPU_KEY(ARTIFACT, data));
    long length;

    if (data == NULL || data->length > sizeof bytes) {
        return "no data, or more than a record may have";
    }
    length = agpu_base64_decode(data->text, data->length, bytes);
    return length < 0 ? "data is not base64" : agpu_artifacts_put(artifacts, record, bytes, (size_t)length);
}
