/* outcome.c: the outcome of a call as text, and its effect on mappings. */
#include "tests/ddi/outcome.h"

#include <string.h>

#include "tests/ddi/callbacks.h"

static const D3D10DDI_MAPPED_SUBRESOURCE *mapping_of(const struct ddi_entry *entry, const void *arguments,
                                                     uint64_t result)
{
    const struct ddi_field *field = entry != NULL ? ddi_field_named(&entry->arguments, "mapped") : NULL;
    const D3D10DDI_MAPPED_SUBRESOURCE *mapped = NULL;

    if (field != NULL && result == 0) {
        memcpy(&mapped, (const uint8_t *)arguments + field->offset, sizeof mapped);
    }
    return mapped;
}

bool ddi_outcome(struct agpu_text *out, const struct ddi_entry *entry, const void *arguments, uint64_t result)
{
    const D3D10DDI_MAPPED_SUBRESOURCE *mapped = mapping_of(entry, arguments, result);
    const char *callbacks = ddi_callbacks_text();

    if (result != 0) {
        agpu_format(out, "  result 0x%jx\n", result);
    }
    if (mapped != NULL) {
        agpu_format(out, "  mapped RowPitch=%u DepthPitch=%u\n", mapped->RowPitch, mapped->DepthPitch);
    }
    for (const char *line = callbacks; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");

        agpu_text_string(out, "  ");
        for (size_t i = 0; i < length; i++) {
            agpu_text_char(out, line[i]);
        }
        agpu_text_char(out, '\n');
        line += length + (line[length] == '\n');
    }
    return callbacks != NULL && !out->truncated;
}

bool ddi_unmaps(const struct ddi_entry *entry)
{
    const char *name = entry->arguments.name;
    const size_t length = strlen(name);

    return length > 5 && strcmp(name + length - 5, "Unmap") == 0;
}

void ddi_note_mapping(struct ddi_values *values, const struct ddi_entry *entry, const void *arguments,
                      uint64_t result)
{
    struct ddi_object *object = ddi_values_object(values, entry, arguments, "resource");
    const D3D10DDI_MAPPED_SUBRESOURCE *mapped = mapping_of(entry, arguments, result);
    const struct ddi_field *type = ddi_field_named(&entry->arguments, "map_type");
    uint32_t map_type = 0;

    if (object == NULL || (mapped == NULL && !ddi_unmaps(entry))) {
        return;
    }
    if (mapped == NULL) {
        object->data = NULL;
        return;
    }
    if (type != NULL) {
        memcpy(&map_type, (const uint8_t *)arguments + type->offset, sizeof map_type);
    }
    object->data = mapped->pData;
    object->bytes = mapped->DepthPitch != 0 ? mapped->DepthPitch
                    : object->has_desc      ? object->desc.ByteWidth
                                            : 0;
    object->written = map_type != D3D10_DDI_MAP_READ;
}
