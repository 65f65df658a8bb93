/* cmd_list.c: `agpu list`: lists the cases of the catalogue, without a boot. */
#include "tests/host/cmd_list.h"
#include "tests/host/exit_status.h"
#include "tests/host/json_out.h"
#include "tests/host/list/cases.h"

#include <getopt.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: agpu list [GLOB...] [--tag WORDS] [--shard I/N] [--abi WHICH] [--ids | --json | --tags]\n"
    "\n"
    "Prints the cases that a run with the same options plans, in its order, each with one sentence, section "
    "of\n"
    "the specification, source and tags. Needs no image and no device.\n"
    "\n"
    "  GLOB          as --filter of agpu run: 'ring.*', 'ring.*,fence.*,!*.many'; several are one list\n"
    "  --tag WORDS   only cases with one of these tags; !TAG excludes\n"
    "  --shard I/N   only the I-th of N parts\n"
    "  --abi WHICH   for a device of 1.0 to 1.4, or legacy (default: for both, in the catalogue's order)\n"
    "  --ids         print names only\n"
    "  --json        print an array of objects: id says spec file line tags abi model_choice together\n"
    "  --tags        print the tags, their meaning, and the number of cases with each\n"
    "\n"
    "Exit status: 0; 1 when no case matches, with the nearest names; 2 usage.\n";

struct listing {
    struct agpu_list_choice choice;
    char *filter; /* all globs, malloc'd */
    bool ids;
    bool json;
    bool tags;
};

static void write_tags(const char *id, char *out, size_t size)
{
    const unsigned has = agpu_tags_of(id);
    size_t used = 0;

    out[0] = '\0';
    for (unsigned tag = 0; tag < AGPU_TAG_COUNT && used < size; tag++) {
        if ((has >> tag & 1) != 0) {
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", used != 0 ? " " : "", agpu_tag_name(tag));
        }
    }
}

static void print_line(void *ctx, const struct agpu_listed_case *item)
{
    const struct listing *listing = ctx;
    char tags[80];

    if (listing->ids) {
        puts(item->id);
        return;
    }
    write_tags(item->id, tags, sizeof tags);
    printf("%-44s %s  [%s; %s:%u; %s]\n", item->id, item->says, item->spec, item->file, item->line, tags);
}

static void add_object(void *ctx, const struct agpu_listed_case *item)
{
    const unsigned has = agpu_tags_of(item->id);
    json_t *tags = json_array();

    for (unsigned tag = 0; tag < AGPU_TAG_COUNT; tag++) {
        if ((has >> tag & 1) != 0) {
            json_array_append_new(tags, json_string(agpu_tag_name(tag)));
        }
    }
    json_array_append_new(ctx, json_pack("{s:s,s:s,s:s,s:s,s:i,s:o,s:s,s:b,s:b}", "id", item->id, "says",
                                         item->says, "spec", item->spec, "file", item->file, "line",
                                         (int)item->line, "tags", tags, "abi",
                                         item->legacy ? "legacy" : "versioned", "model_choice",
                                         (int)item->model, "together", (int)item->together));
}

static bool print_json(const struct listing *listing)
{
    json_t *array = json_array();
    bool good = array != NULL;

    if (good) {
        agpu_list_choose(&listing->choice, add_object, array);
        good = agpu_json_out(array, stdout, JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(array);
    return good;
}

static void print_tags(const struct listing *listing)
{
    for (unsigned tag = 0; tag < AGPU_TAG_COUNT; tag++) {
        struct agpu_list_choice choice = listing->choice;

        choice.tags = (struct agpu_tag_choice){.wanted = 1u << tag};
        printf("%-12s %5zu  %s\n", agpu_tag_name(tag), agpu_list_choose(&choice, NULL, NULL),
               agpu_tag_says(tag));
    }
}

static bool add_globs(struct listing *listing, const char *globs)
{
    char *all = NULL;

    if (asprintf(&all, "%s%s%s", listing->filter != NULL ? listing->filter : "",
                 listing->filter != NULL ? "," : "", globs) < 0) {
        fputs("agpu list: memory is exhausted\n", stderr);
        return false;
    }
    free(listing->filter);
    listing->choice.filter = listing->filter = all;
    return true;
}

static bool wrong(const char *option, const char *text, const char *expected)
{
    fprintf(stderr, "agpu list: %s \"%s\": %s\n", option, text, expected);
    return false;
}

static bool take_option(int option, struct listing *listing)
{
    switch (option) {
    case 'f':
        return add_globs(listing, optarg);
    case 't':
        return agpu_tags_read(optarg, strlen(optarg), &listing->choice.tags) ||
               wrong("--tag", optarg, AGPU_TAGS_EXPECTED);
    case 's':
        return agpu_shard_read(optarg, strlen(optarg), &listing->choice.shard) ||
               wrong("--shard", optarg, AGPU_SHARD_EXPECTED);
    case 'a':
        listing->choice.abi = strncmp(optarg, "legacy", 6) == 0 ? AGPU_LISTED_LEGACY : AGPU_LISTED_VERSIONED;
        return listing->choice.abi == AGPU_LISTED_LEGACY || strncmp(optarg, "1.", 2) == 0 ||
               wrong("--abi", optarg, "expected 1.0 to 1.4, or legacy");
    case 'i':
        listing->ids = true;
        return true;
    case 'j':
        listing->json = true;
        return true;
    case 'T':
        listing->tags = true;
        return true;
    default:
        fputs("agpu list: see agpu list --help\n", stderr);
        return false;
    }
}

static int print(const struct listing *listing)
{
    char text[1200];

    if (listing->tags) {
        print_tags(listing);
        return AGPU_EXIT_PASS;
    }
    if (agpu_list_explain(&listing->choice, text, sizeof text)) {
        fprintf(stderr, "agpu list: %s\n", text);
        if (agpu_list_choose(&listing->choice, NULL, NULL) == 0) {
            return AGPU_EXIT_FAIL;
        }
    }
    if (listing->json) {
        return print_json(listing) ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
    }
    agpu_list_choose(&listing->choice, print_line, (void *)(uintptr_t)listing);
    return AGPU_EXIT_PASS;
}

int agpu_cmd_list(int argc, char **argv)
{
    static const struct option known[] = {{"filter", required_argument, NULL, 'f'},
                                          {"tag", required_argument, NULL, 't'},
                                          {"shard", required_argument, NULL, 's'},
                                          {"abi", required_argument, NULL, 'a'},
                                          {"ids", no_argument, NULL, 'i'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"tags", no_argument, NULL, 'T'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct listing listing = {0};
    int status = AGPU_EXIT_PASS;

    optind = 1;
    for (int option; status == AGPU_EXIT_PASS && (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            free(listing.filter);
            return AGPU_EXIT_PASS;
        }
        status = take_option(option, &listing) ? AGPU_EXIT_PASS : AGPU_EXIT_USAGE;
    }
    for (; status == AGPU_EXIT_PASS && optind < argc; optind++) {
        status = add_globs(&listing, argv[optind]) ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
    }
    status = status == AGPU_EXIT_PASS ? print(&listing) : status;
    free(listing.filter);
    return status;
}
