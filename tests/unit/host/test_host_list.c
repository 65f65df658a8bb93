/* test_host_list.c: the host tool's table of cases equals the catalogue, each case has a sentence and a place, and an
 * unknown name is answered with similar ones. */
#include <stdio.h>
#include <string.h>

#include "tests/cases/catalogue.h"
#include "tests/cases/rig/env.h"
#include "tests/host/list/cases.h"
#include "tests/host/list/nearest.h"
#include "tests/host/list/sections.h"
#include "tests/unit/test.h"

TEST(table_is_the_catalogue)
{
    size_t tables, listed, place = 0;
    const struct agpu_case_table *const *table = agpu_catalogue(&tables);
    const struct agpu_listed_case *cases = agpu_listed_cases(&listed);

    for (size_t i = 0; i < tables; i++) {
        for (size_t j = 0; j < table[i]->count; j++, place++) {
            const struct agpu_case *item = &table[i]->cases[j];

            assert_true(place < listed);
            assert_string_equal(cases[place].id, item->id);
            assert_string_equal(cases[place].spec, item->spec);
            assert_int_equal(cases[place].legacy, (item->flags & AGPU_CASE_LEGACY) != 0);
            assert_int_equal(cases[place].model, (item->flags & AGPU_CASE_MODEL_CHOICE) != 0);
        }
    }
    assert_int_equal(place, listed);
}

/* Checks that the case's line is that of its body, of the row that names it, or of the file's table. Reads the file's
 * heading, its first comment. */
static void check_place(const struct agpu_listed_case *item, char *heading, size_t size)
{
    char path[1024], line[1024] = "";
    unsigned number = 0;
    size_t used;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", AGPU_SOURCE_DIR, item->file);
    file = fopen(path, "r");
    assert_non_null(file);
    used = fread(heading, 1, size - 1, file);
    heading[used] = '\0';
    assert_non_null(strstr(heading, "*/"));
    *strstr(heading, "*/") = '\0';
    rewind(file);
    while (number < item->line && fgets(line, sizeof line, file) != NULL) {
        number++;
    }
    fclose(file);
    if (number != item->line ||
        (strstr(line, "(struct agpu_test") == NULL && strstr(line, item->id) == NULL &&
         strstr(line, "AGPU_CASE_TABLE(") == NULL && strchr(line, '"') == NULL)) {
        fail_msg("%s: %s:%u is neither its body nor its row: %s", item->id, item->file, item->line, line);
    }
}

/* Returns true if the sentence, up to any bracket, has a word of four letters or more that is neither "must" nor in id
 * or heading. */
static bool adds_a_word(const char *sentence, const char *id, const char *heading)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *const end = sentence + strcspn(sentence, "(");
    char word[64];

    for (const char *at = sentence; (at += strcspn(at, letters)) < end; at += strspn(at, letters)) {
        snprintf(word, sizeof word, "%.*s", (int)strspn(at, letters), at);
        if (strlen(word) > 3 && strcasecmp(word, "must") != 0 && strcasestr(id, word) == NULL &&
            strcasestr(heading, word) == NULL) {
            return true;
        }
    }
    return false;
}

TEST(every_case_has_a_sentence_and_a_place)
{
    size_t count;
    const struct agpu_listed_case *cases = agpu_listed_cases(&count);
    char heading[1024];

    for (size_t i = 0; i < count; i++) {
        const char *says = cases[i].says;

        check_place(&cases[i], heading, sizeof heading);
        assert_null(strpbrk(says, "\n\t"));
        if (strlen(says) > 320 || says[strlen(says) - 1] != '.' || strstr(says, " must ") == NULL ||
            !adds_a_word(says, cases[i].id, heading)) {
            fail_msg(
                "%s: \"%s\": expected a sentence above %s:%u that says what must be, in words other than "
                "those of the id and of the file's heading",
                cases[i].id, says, cases[i].file, cases[i].line);
        }
    }
}

/* A case that cites a whole file has its path: a reader finds it by that. */
TEST(every_case_cites_a_section)
{
    size_t count;
    const struct agpu_listed_case *cases = agpu_listed_cases(&count);
    const struct agpu_section *section = agpu_section_find("device.md 4.2");

    for (size_t i = 0; i < count; i++) {
        const struct agpu_section *cited = agpu_section_find(cases[i].spec);

        if (strchr(cases[i].spec, '/') == NULL && (cited == NULL || cited->text[0] == NULL)) {
            fail_msg("%s cites %s: expected a numbered heading with text in that page", cases[i].id,
                     cases[i].spec);
        }
    }
    assert_string_equal(section->title, "4.2 RING_CONTROL and ring reset");
    assert_string_equal(section->place, "pci/device.md#42-ring_control-and-ring-reset");
    assert_null(agpu_section_find("none"));
    /* A section ends at the next heading of its level. */
    section = agpu_section_find("commands.md 6");
    for (size_t i = 0; section->text[i] != NULL; i++) {
        assert_null(strstr(section->text[i], "## 7. "));
    }
}

/* At most one case in a hundred depends on the device being our model. */
TEST(model_marks_are_few)
{
    const struct agpu_listed_case *cases;
    size_t count, marked = 0;

    cases = agpu_listed_cases(&count);
    for (size_t i = 0; i < count; i++) {
        marked += cases[i].model;
    }
    if (marked * 100 > count) {
        fail_msg(
            "%zu of %zu cases are skipped on every device but our model; expected at most one in a hundred",
            marked, count);
    }
}

TEST(choices_are_the_runs)
{
    struct agpu_list_choice choice = {.filter = "ring.*", .abi = AGPU_LISTED_VERSIONED};
    const size_t all = agpu_list_choose(&choice, NULL, NULL);
    size_t sum = 0;

    assert_true(all > 50);
    for (unsigned part = 1; part <= 3; part++) {
        choice.shard = (struct agpu_shard){part, 3};
        sum += agpu_list_choose(&choice, NULL, NULL);
    }
    assert_int_equal(sum, all);
    choice.shard = (struct agpu_shard){0};
    assert_true(agpu_tags_read("quick,!stress", 13, &choice.tags));
    assert_in_range(agpu_list_choose(&choice, NULL, NULL), 1, all - 1);
    choice = (struct agpu_list_choice){.filter = "*legacy*", .abi = AGPU_LISTED_LEGACY};
    assert_true(agpu_list_choose(&choice, NULL, NULL) > 0);
    for (unsigned tag = 0; tag < AGPU_TAG_COUNT; tag++) {
        choice = (struct agpu_list_choice){.tags = {.wanted = 1u << tag}};
        assert_true(agpu_list_choose(&choice, NULL, NULL) > 5);
    }
}

TEST(names_that_are_near)
{
    static const struct {
        const char *filter, *near;
    } rows[] = {
        {"rnig.*", "nearest: ring.*"},
        {"ring.warp.slots", "nearest: ring.wrap.slots "},
        {"buffer.copy_flaut.*", "nearest: buffer.copy_fault.*"},
        {"vidmm.lock.long_wrok", "nearest: vidmm.lock.long_work "},
        {"ring.*,texture.copi.*,fence.*", "\"texture.copi.*\"; the nearest: texture.copy.*"},
        {"ring.*,!ring.*", "matches filter, tags and shard together"},
        {"irq.legacy.*", "other generation"},
    };
    char text[1200];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct agpu_list_choice choice = {.filter = rows[i].filter, .abi = AGPU_LISTED_VERSIONED};

        if (!agpu_list_explain(&choice, text, sizeof text) || strstr(text, rows[i].near) == NULL) {
            fail_msg("\"%s\": expected \"%s\", got \"%s\"", rows[i].filter, rows[i].near, text);
        }
    }
    assert_false(
        agpu_list_explain(&(struct agpu_list_choice){.filter = "ring.*,!ring.wrap.*"}, text, sizeof text));
    assert_string_equal(text, "");
}

TEST(distances)
{
    char big[400];

    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    assert_int_equal(agpu_name_distance("ring", "ring"), 0);
    assert_int_equal(agpu_name_distance("", "ring"), 4);
    assert_int_equal(agpu_name_distance("rnig", "ring"), 1); /* two letters swapped */
    assert_int_equal(agpu_name_distance("rin", "ring"), 1);
    assert_int_equal(agpu_name_distance("rxng", "ring"), 1);
    assert_int_equal(agpu_name_distance("kitten", "sitting"), 3);
    assert_int_equal(agpu_name_distance(big, ""), 150);
}
