#!/bin/bash
# Accounts for every required behaviour, by its number: behaviours.sh ROOT. The tables under tests/ say which test shows
# it (number, test, where; the tests themselves are checked by the table's own folder) or why none does (number, "-",
# reason). Prints the coverage; fails when a number has neither, or a table names a number that does not exist.
set -euo pipefail
cd "$1"
# How many behaviours each group has.
groups='CMD 31 ALC 28 FMT 23 TBL 17 CRE 47 MAP 61 UNM 11 UPD 27 CPY 23 STA 39 VPS 17 RTV 28 GEO 7 VIW 10 PRS 27 SHR 17
KMD 45 LCK 29 ATB 13 CAP 14 W 33 DEF 21'
mapfile -t tables < <(find tests -name 'cases.tsv' -o -name 'numbers.tsv' | sort)

awk -F'\t' -v groups="$groups" '
    BEGIN {
        n = split(groups, g, /[ \n]+/)
        for (i = 1; i < n; i += 2) { order[++count] = g[i]; size[g[i]] = g[i + 1]; total += g[i + 1] }
    }
    /^#/ || /^[[:space:]]*$/ { next }
    {
        split($1, part, "-")
        if (!(part[1] in size) || part[2] + 0 < 1 || part[2] + 0 > size[part[1]]) {
            printf "%s: %s is no required behaviour\n", FILENAME, $1; bad++; next
        }
        key = part[1] "-" (part[2] + 0)
        if ($2 != "-" && $2 != "") tested[key] = 1
        else if ($3 ~ /[a-z][a-z][a-z]/ || $4 ~ /[a-z][a-z][a-z]/) reasoned[key] = 1
        else { printf "%s: %s has neither a test nor a reason in its row\n", FILENAME, $1; bad++ }
    }
    END {
        for (i = 1; i <= count; i++) {
            group = order[i]; t = r = 0; missing = ""
            for (k = 1; k <= size[group]; k++) {
                if ((group "-" k) in tested) t++
                else if ((group "-" k) in reasoned) r++
                else missing = missing sprintf(" %s-%02d", group, k)
            }
            printf "%-4s %3d: %3d tested, %2d with a reason\n", group, size[group], t, r
            if (missing != "") { print "     neither test nor reason:" missing; bad++ }
            sum_t += t; sum_r += r
        }
        printf "required behaviours: %d, tested %d, with a reason %d, missing %d\n", total, sum_t, sum_r, total - sum_t - sum_r
        exit bad > 0
    }' "${tables[@]}"
