/* run_credentials.c: a random token for every machine, so that datagrams of other or earlier machines are ignored. */
#include "tests/host/run/run_credentials.h"
#include "tests/host/run/key_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* 24 characters of 64: cannot be guessed. */
#define TOKEN_LENGTH 24

/* Returns the value of the last --cfg line with this key, NULL when there is none. */
static const char *config_value(const struct agpu_run_options *options, const char *key)
{
    const size_t length = strlen(key);
    const char *value = NULL;

    for (size_t i = 0; i < options->cfg_count; i++) {
        if (strncmp(options->cfg[i], key, length) == 0 && options->cfg[i][length] == '=') {
            value = options->cfg[i] + length + 1;
        }
    }
    return value;
}

static bool make_token(char *token)
{
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    uint8_t random[TOKEN_LENGTH];

    if (getrandom(random, sizeof random, 0) != sizeof random) {
        fprintf(stderr, "agpu: no random numbers for the token of this run: %s\n", strerror(errno));
        return false;
    }
    for (size_t i = 0; i < TOKEN_LENGTH; i++) {
        token[i] = characters[random[i] % 64];
    }
    token[TOKEN_LENGTH] = '\0';
    return true;
}

bool agpu_run_credentials_make(const struct agpu_run_options *options, struct agpu_credentials *out)
{
    const char *token = config_value(options, "token");
    const char *key = config_value(options, "key");

    *out = (struct agpu_credentials){0};
    if (options->key_file != NULL && !agpu_key_load(options->key_file, out)) {
        return false;
    }
    if (options->key_file == NULL && key != NULL && *key != '\0') {
        out->keyed = agpu_key_read(key, out->key);
        if (!out->keyed) {
            fputs("agpu run: --cfg key= needs 64 hexadecimal digits\n", stderr);
            return false;
        }
    }
    if (token == NULL) {
        return make_token(out->token);
    }
    if (*token != '\0' && !agpu_is_token(token, strlen(token), AGPU_TOKEN_MAX)) {
        fprintf(stderr, "agpu run: --cfg token= needs 1 to %d of the characters A-Z a-z 0-9 _ -\n",
                AGPU_TOKEN_MAX);
        return false;
    }
    strcpy(out->token, token);
    return true;
}

char *agpu_run_credentials_append(char *text, const struct agpu_credentials *credentials)
{
    char *longer = NULL;
    size_t size = 0;
    FILE *out = text != NULL ? open_memstream(&longer, &size) : NULL;

    if (out == NULL) {
        free(text);
        return NULL;
    }
    fprintf(out, "%stoken=%s\n", text, credentials->token);
    if (credentials->keyed) {
        fputs("key=", out);
        for (size_t i = 0; i < AGPU_KEY_SIZE; i++) {
            fprintf(out, "%02x", credentials->key[i]);
        }
        putc('\n', out);
    }
    free(text);
    if (fclose(out) != 0) {
        free(longer);
        return NULL;
    }
    return longer;
}
