#!/usr/bin/python3
"""compare.py OLD NEW: two lists of figures as tests/bench --json writes them: what got worse beyond noise, what got better, what is
in one of them only. Compared are ratios to the floor that was measured beside each figure, so that another machine, or a busy one,
is in both; noise is the larger spread of the two, and 5 % at least. Exit status: 1 when a figure got worse, 2 for a file that is no
such list."""
import json
import sys

LEAST = 0.05  # what nobody would call a change, however quiet the figures


def load(path):
    try:
        with open(path) as file:
            figures = json.load(file)
        return {figure["name"]: {key: figure[key] for key in ("value", "unit", "floor", "ratio", "spread")} for figure in figures}
    except OSError as error:
        sys.exit("compare: cannot read %s: %s" % (path, error.strerror))
    except (ValueError, TypeError, KeyError):
        print("compare: %s is no list of figures: tests/bench --json FILE writes one" % path, file=sys.stderr)
        sys.exit(2)


def number(figure, key):
    value = figure[key]
    return value if isinstance(value, (int, float)) and value == value else 0


def change(old, new):
    """(how much worse the new one is as a share of the old, how much of that is noise); None: they cannot be compared."""
    key = "ratio" if number(old, "ratio") > 0 and number(new, "ratio") > 0 else "value"
    before, now = number(old, key), number(new, key)
    if old["unit"] != new["unit"] or before <= 0 or now <= 0:
        return None
    noise = max(LEAST, number(old, "spread"), number(new, "spread"))
    return (before / now if new["unit"].endswith("/s") else now / before) - 1, noise


def main(old, new):
    worse, better, other = [], [], []
    for name in sorted(set(old) | set(new)):
        if name not in old or name not in new:
            other.append("only %s  %s" % ("before" if name in old else "now   ", name))
            continue
        moved = change(old[name], new[name])
        if moved is None:
            other.append("not comparable  %s" % name)
            continue
        share, noise = moved
        text = "%-30s %.5g -> %.5g %s, ratio %.4g -> %.4g (%+.0f %%, noise %.0f %%)" % (
            name, number(old[name], "value"), number(new[name], "value"), new[name]["unit"], number(old[name], "ratio"),
            number(new[name], "ratio"), 100 * share, 100 * noise)
        if share > noise:
            worse.append("worse   " + text)
        elif 1 / (1 + share) - 1 > noise:
            better.append("better  " + text)
    for line in worse + better + other:
        print(line)
    print("%d of %d figures got worse beyond noise, %d better" % (len(worse), len(set(old) & set(new)), len(better)))
    return 1 if worse else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(load(sys.argv[1]), load(sys.argv[2])))
