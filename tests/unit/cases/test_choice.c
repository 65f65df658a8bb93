/* test_choice.c: tags, shards and the list of known failures. */
#include <stdio.h>
#include <string.h>

#include "tests/cases/choice/budget.h"
#include "tests/cases/choice/digest.h"
#include "tests/cases/choice/expect.h"
#include "tests/cases/choice/quarantine.h"
#include "tests/cases/choice/shard.h"
#include "tests/cases/choice/skips.h"
#include "tests/cases/choice/tags.h"
#include "tests/unit/test.h"

TEST(tags_are_read)
{
    static const char *const good[] = {"quick", "quick,stress", "!destructive", " quick , !stress ", ""};
    static const char *const bad[] = {"quickly", "quic", "!", "full,fast", "!!quick"};
    struct agpu_tag_choice choice;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!agpu_tags_read(good[i], strlen(good[i]), &choice)) {
            fail_msg("\"%s\" is refused", good[i]);
        }
    }
    choice = (struct agpu_tag_choice){7, 9};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (agpu_tags_read(bad[i], strlen(bad[i]), &choice)) {
            fail_msg("\"%s\" is taken", bad[i]);
        }
    }
    assert_int_equal(choice.wanted, 7);
    assert_true(agpu_tags_read("quick,!stress", 13, &choice));
    assert_int_equal(choice.wanted, 1u << AGPU_TAG_quick);
    assert_int_equal(choice.unwanted, 1u << AGPU_TAG_stress);
}

TEST(tags_choose)
{
    struct agpu_tag_choice choice = {0};

    assert_true(agpu_tags_take(&choice, "vidmm.hang.long_work"));
    choice.unwanted = 1u << AGPU_TAG_destructive;
    assert_false(agpu_tags_take(&choice, "vidmm.hang.long_work"));
    assert_true(agpu_tags_take(&choice, "ring.wrap.slots"));
    choice = (struct agpu_tag_choice){.wanted = 1u << AGPU_TAG_quick};
    assert_true(agpu_tags_take(&choice, "ring.wrap.slots"));
    assert_false(agpu_tags_take(&choice, "umd.deferred.random_programs"));
    assert_int_equal(agpu_tags_of("umd.deferred.random_programs"),
                     1u << AGPU_TAG_stress | 1u << AGPU_TAG_full);
}

TEST(shards_are_read)
{
    static const char *const bad[] = {"",       "1",     "/",    "0/2",  "3/2",          "1/0",
                                      "1/1001", "1/2/3", "1 /2", "-1/2", "99999999999/2"};
    struct agpu_shard shard = {5, 6};
    unsigned taken[4] = {0};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (agpu_shard_read(bad[i], strlen(bad[i]), &shard)) {
            fail_msg("\"%s\" is taken", bad[i]);
        }
    }
    assert_int_equal(shard.number, 5);
    for (unsigned part = 1; part <= 4; part++) {
        char text[8];

        snprintf(text, sizeof text, "%u/4", part);
        assert_true(agpu_shard_read(text, strlen(text), &shard));
        for (unsigned place = 0; place < 103; place++) {
            taken[part - 1] += agpu_shard_takes(&shard, place);
        }
    }
    assert_int_equal(taken[0] + taken[1] + taken[2] + taken[3], 103);
    assert_in_range(taken[3], 25, 26);
    assert_true(agpu_shard_takes(&(struct agpu_shard){0}, 77));
}

static struct agpu_quarantine list;

static bool add(const char *text)
{
    return agpu_quarantine_add(&list, text, strlen(text));
}

TEST(entries_are_read)
{
    static const char *const bad[] = {"",
                                      "ring.*",
                                      "ring.* 2026-12-31",
                                      "ring.* 2026-12-31 ",
                                      "ring.* 31.12.2026 because",
                                      "ring.* 2026-12-310 because",
                                      "ring.* 2026-00-10 because",
                                      "ring.* 2026-01-32 because",
                                      "ring.* tomorrow because"};
    char longest[400];

    list = (struct agpu_quarantine){0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (add(bad[i])) {
            fail_msg("\"%s\" is taken", bad[i]);
        }
    }
    assert_int_equal(list.count, 0);
    assert_true(add("  ring.*,fence.a   2026-12-31\tthe board is of the first lot"));
    assert_string_equal(list.entries[0].glob, "ring.*,fence.a");
    assert_string_equal(list.entries[0].reason, "the board is of the first lot");
    assert_int_equal(list.entries[0].until, 20261231);
    snprintf(longest, sizeof longest, "ring.* 2026-12-31 %0141d", 1);
    assert_false(add(longest));
    snprintf(longest, sizeof longest, "%0101d 2026-12-31 why", 1);
    assert_false(add(longest));
    for (unsigned i = 1; i < AGPU_QUARANTINE_MAX; i++) {
        assert_true(add("x 2026-12-31 why"));
    }
    assert_false(add("x 2026-12-31 why"));
}

TEST(entries_judge)
{
    const struct agpu_quarantine_entry *entry;

    list = (struct agpu_quarantine){.today = 20261231};
    assert_true(add("ring.* 2026-06-01 old"));
    assert_true(add("ring.wrap.* 2026-12-31 wraps"));
    assert_int_equal(agpu_quarantine_judge(&list, "fence.a", true, false, &entry), AGPU_QUARANTINE_NOTHING);
    assert_null(entry);
    assert_int_equal(agpu_quarantine_judge(&list, "ring.a", true, false, &entry), AGPU_QUARANTINE_EXPIRED);
    /* An entry that still applies, on its last day. */
    assert_int_equal(agpu_quarantine_judge(&list, "ring.wrap.a", true, false, &entry), AGPU_QUARANTINE_KNOWN);
    assert_string_equal(entry->reason, "wraps");
    assert_int_equal(agpu_quarantine_judge(&list, "ring.wrap.a", false, true, &entry),
                     AGPU_QUARANTINE_PASSED);
    assert_int_equal(agpu_quarantine_judge(&list, "ring.wrap.a", false, false, &entry),
                     AGPU_QUARANTINE_NOTHING);
    list.today = 20270101;
    assert_int_equal(agpu_quarantine_judge(&list, "ring.wrap.a", true, false, &entry),
                     AGPU_QUARANTINE_EXPIRED);
    list.today = 0; /* the date is not known */
    assert_int_equal(agpu_quarantine_judge(&list, "ring.a", true, false, &entry), AGPU_QUARANTINE_KNOWN);
    assert_int_equal(agpu_quarantine_judge(NULL, "ring.a", true, false, &entry), AGPU_QUARANTINE_NOTHING);
}

static struct agpu_budgets budgets;

static bool limit(const char *text, char *why)
{
    return agpu_budget_add(&budgets, text, strlen(text), why);
}

TEST(budgets_are_read)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "expected NAME<=VALUE"},
        {"register_read_ns_p99", "expected NAME<=VALUE"},
        {"register_read_ns_p99<2000", "expected NAME<=VALUE"},
        {"register_read_ns_p99=2000", "expected NAME<=VALUE"},
        {"register_read_ns_p99<=", "expected NAME<=VALUE"},
        {"register_read_ns_p99<=-1", "expected NAME<=VALUE"},
        {"register_read_ns_p99<=2 us", "expected NAME<=VALUE"},
        {"register_read_ns_p99<=1234567890123456789", "expected NAME<=VALUE"},
        {"<=5", "expected NAME<=VALUE"},
        {"register_read_ns<=5", "the nearest: register_read_ns_"},
        {"draw_rat>=5", "no case measures \"draw_rat\"; the nearest: draw_rate, "},
        {"draw_rate_p50>=5", "the nearest: draw_ns_p50, draw_rate, "},
        {"a_name_that_is_longer_than_any_figure_of_them_all_has<=5", "the name is too long for a figure"},
    };
    char why[AGPU_BUDGET_WHY_MAX];

    budgets = (struct agpu_budgets){0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (limit(bad[i].text, why) || strstr(why, bad[i].says) == NULL) {
            fail_msg("\"%s\" is taken, or answered with: %s", bad[i].text, why);
        }
    }
    assert_int_equal(budgets.count, 0);
    assert_true(limit("draw_rate>=123456789012345678", why));
    assert_true(budgets.entries[0].least);
    assert_int_equal(budgets.entries[0].value, 123456789012345678);
    assert_string_equal(agpu_budget_case(&budgets.entries[0]), "perf.draw.rate");
    while (budgets.count < AGPU_BUDGETS_MAX) {
        assert_true(limit("draw_ns_max<=7", why));
    }
    assert_false(limit("draw_ns_max<=7", why));
    assert_non_null(strstr(why, "32"));
}

TEST(budgets_are_checked)
{
    char why[AGPU_BUDGET_WHY_MAX];

    budgets = (struct agpu_budgets){0};
    assert_true(limit("draw_rate>=100", why) && limit("draw_ns_p50<=7", why) && limit("draw_ns_p50<=5", why));
    assert_null(agpu_budget_judge(NULL, "draw_rate", 0));
    assert_null(agpu_budget_judge(&budgets, "draw_rate_of_another", 0));
    assert_false(budgets.entries[0].judged);
    assert_null(agpu_budget_judge(&budgets, "draw_rate", 100));
    assert_true(budgets.entries[0].judged);
    assert_ptr_equal(agpu_budget_judge(&budgets, "draw_rate", 99), &budgets.entries[0]);
    assert_null(agpu_budget_judge(&budgets, "draw_ns_p50", 5));
    assert_ptr_equal(agpu_budget_judge(&budgets, "draw_ns_p50", 6), &budgets.entries[2]);
    assert_ptr_equal(agpu_budget_judge(&budgets, "draw_ns_p50", 8), &budgets.entries[1]);
    assert_non_null(strstr(agpu_budget_advice(&budgets.entries[1]), "check"));
}

TEST(reasons_are_read)
{
    static const char *const bad[] = {"*",      "no_dept", "model choice", "no_depth,x", "blocked",
                                      "all,-1", "1x"};
    size_t length;

    for (unsigned i = AGPU_SKIP_NONE + 1; i < AGPU_SKIP_COUNT; i++) {
        const char *word = agpu_skip_word((enum agpu_skip_code)i);

        assert_int_equal(agpu_skip_of(word, strlen(word)), i);
        assert_true(agpu_skip_text((enum agpu_skip_code)i)[0] != '\0');
        assert_non_null(strstr(agpu_skips_expected, word));
    }
    assert_int_equal(agpu_skip_of("no_dept", 7), AGPU_SKIP_NONE);
    assert_int_equal(agpu_skip_of("", 0), AGPU_SKIP_NONE);
    assert_null(agpu_skips_check("no_depth, 3,all", 15, &length));
    assert_null(agpu_skips_check("", 0, &length));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (agpu_skips_check(bad[i], strlen(bad[i]), &length) == NULL) {
            fail_msg("\"%s\" is taken", bad[i]);
        }
    }
    assert_int_equal(agpu_skip_quota("no_depth,3, 4"), 7);
    assert_int_equal(agpu_skip_quota("99999999999999999999"), 9999999);
    assert_int_equal(agpu_skip_quota(NULL), 0);
}

TEST(reasons_are_checked)
{
    assert_true(agpu_skip_acceptable(AGPU_SKIP_CAPABILITY, NULL, false));
    assert_false(agpu_skip_acceptable(AGPU_SKIP_ABI, NULL, false));
    assert_true(agpu_skip_acceptable(AGPU_SKIP_ABI, NULL, true));
    assert_true(agpu_skip_acceptable(AGPU_SKIP_ABI, "abi", false));
    assert_false(agpu_skip_acceptable(AGPU_SKIP_NO_DEPTH, "3", true));
    assert_true(agpu_skip_acceptable(AGPU_SKIP_NO_DEPTH, "3,no_depth", false));
    assert_false(agpu_skip_acceptable(AGPU_SKIP_BLOCKED, "all", true));
    assert_false(agpu_skip_acceptable(AGPU_SKIP_NONE, "all", true));
    assert_false(agpu_skip_acceptable(AGPU_SKIP_COUNT, "all", true));
}

TEST(expectations_are_read)
{
    static const char *const good[] = {"any", "abi=1.0", "abi=legacy", "abi=1.4,abi=legacy,any"};
    static const char *const bad[] = {"",        "abi=",     "abi=1.5",  "abi=2.0",        "1.4",
                                      "abi=1.",  "abi=1.4,", "anything", "abi=legacy-1.0", "abi=1.4 ",
                                      "abi=1x4", ",abi=1.4"};
    char word[AGPU_EXPECT_MAX];

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!agpu_expect_check(good[i], strlen(good[i]))) {
            fail_msg("\"%s\" is refused", good[i]);
        }
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (agpu_expect_check(bad[i], strlen(bad[i]))) {
            fail_msg("\"%s\" is taken", bad[i]);
        }
    }
    agpu_expect_of("abi=1.4,abi=legacy", 0, word);
    assert_string_equal(word, "abi=1.4");
    agpu_expect_of("abi=1.4,abi=legacy", 1, word);
    assert_string_equal(word, "abi=legacy");
    agpu_expect_of("abi=1.4,abi=legacy", 7, word);
    assert_string_equal(word, "abi=legacy");
    agpu_expect_of(NULL, 3, word);
    assert_string_equal(word, "any");
    agpu_expect_of_model("1.1-cursor", word);
    assert_string_equal(word, "abi=1.1");
    agpu_expect_of_model("legacy-as-a3a0", word);
    assert_string_equal(word, "abi=legacy");
    agpu_expect_of_model(NULL, word);
    assert_string_equal(word, "abi=1.4");
    agpu_expect_of_device("model,fault=x,abi=1.2-vblank,vram=4", word);
    assert_string_equal(word, "abi=1.2");
    agpu_expect_of_device("model", word);
    assert_string_equal(word, "abi=1.4");
    agpu_expect_of_device("./mine.so,abi=1.4", word);
    assert_string_equal(word, "any");
}

TEST(devices_get_verdicts)
{
    assert_int_equal(agpu_expect_judge("abi=1.4", "1.4"), AGPU_EXPECT_MET);
    assert_int_equal(agpu_expect_judge("abi=1.4", "1.3"), AGPU_EXPECT_WRONG);
    assert_int_equal(agpu_expect_judge("abi=1.1", "1.4"), AGPU_EXPECT_WRONG);
    assert_int_equal(agpu_expect_judge("abi=legacy", "legacy-1.0"), AGPU_EXPECT_MET);
    assert_int_equal(agpu_expect_judge("abi=1.0", "legacy-1.0"), AGPU_EXPECT_WRONG);
    assert_int_equal(agpu_expect_judge("abi=legacy", "1.4"), AGPU_EXPECT_WRONG);
    assert_int_equal(agpu_expect_judge("any", "1.4"), AGPU_EXPECT_MET);
    assert_int_equal(agpu_expect_judge("any", "1.10"), AGPU_EXPECT_MET);
    assert_int_equal(agpu_expect_judge("any", "1.0"), AGPU_EXPECT_UNSTATED);
    assert_int_equal(agpu_expect_judge("any", "legacy-1.0"), AGPU_EXPECT_UNSTATED);
    assert_int_equal(agpu_expect_judge("abi=1.4", ""), AGPU_EXPECT_WRONG);
    assert_int_equal(agpu_expect_judge("abi=legacy", NULL), AGPU_EXPECT_WRONG);
    assert_int_equal(agpu_expect_judge("any", NULL), AGPU_EXPECT_MET);
}

TEST(a_digest_is_of_names_in_any_order)
{
    assert_int_equal(agpu_digest_add(agpu_digest_add(0, "ring.a"), "ring.b"),
                     agpu_digest_add(agpu_digest_add(0, "ring.b"), "ring.a"));
    assert_int_not_equal(agpu_digest_add(agpu_digest_add(0, "ring.a"), "ring.b"),
                         agpu_digest_add(agpu_digest_add(0, "ring.a"), "ring.c"));
}
