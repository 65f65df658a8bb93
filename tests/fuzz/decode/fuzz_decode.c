/* fuzz_decode.c: fuzz target of `agpu decode`: any bytes, as text and as JSON, without a read out of
 * bounds. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/host/decode/stream.h"
#include "tests/host/decode/write_json.h"
#include "tests/host/decode/write_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct agpu_text_writer text;
    static struct agpu_json_writer json;
    static FILE *out;

    out = out != NULL ? out : fopen("/dev/null", "we");
    for (int as_json = 0; out != NULL && as_json < 2; as_json++) {
        const struct agpu_decode_output output =
            as_json ? agpu_json_writer_output(&json, out) : agpu_text_writer_output(&text, out);
        struct agpu_decoder *decoder = agpu_decoder_create();

        if (decoder != NULL) {
            agpu_decode(decoder, data, size, 0, &output);
            agpu_decoder_destroy(decoder);
        }
    }
    return 0;
}
