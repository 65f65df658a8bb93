"""circles.py FILE...: finds circles among C files: of includes, and of functions and data that one unit uses from
another. x.c and x.h are one unit. A header that declares what another unit defines uses it from there. Prints each
arrow that lies on a circle."""
import collections
import re
import sys

NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.M)
MACRO = re.compile(r"\b__attribute__\(\)|^[A-Z][A-Z_0-9]*\(\);?$", re.M)
NAME = re.compile(r"(\w+)(?:\(\)\s*\{\}$|(?:\s*\[[^\]]*\])*\s*=)")


def hollow(text, opening, closing):
    """Empties the outermost pairs of brackets."""
    out, depth = [], 0
    for part in re.split("([%s%s])" % (opening, closing), text):
        depth -= part == closing
        if depth == 0:
            out.append(part)
        depth += part == opening
    return "".join(out)


def read_unit(path):
    """Returns (included units, names used, names defined for all, names of its own)."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    included = {name[:-2] for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*\.[ch])"', text, re.M)}
    text = NOISE.sub(" ", text)
    used = set(re.findall(r"\w+", re.sub(r"\b(?:struct|union|enum)\s+\w+", " ", text)))
    shared, own = set(), set()
    if path.endswith(".c"):
        code = MACRO.sub("", hollow(hollow(DIRECTIVE.sub("", text), "{", "}"), "(", ")"))
        for statement in re.sub(r"\)\s*\{\}", "){};", code).split(";"):
            names = NAME.findall(statement.strip())
            (own if re.search(r"\bstatic\b", statement) else shared).update(names)
    return included, used, shared, own


def circles(next_of):
    """Returns the strongly connected parts of a graph (Tarjan): {unit: number of its part}."""
    order, low, part, stack = {}, {}, {}, []
    for start in next_of:
        todo = [(start, None)] if start not in order else []
        while todo:
            unit, rest = todo.pop()
            if rest is None:
                order[unit] = low[unit] = len(order)
                stack.append(unit)
                rest = iter(next_of[unit])
            for other in rest:
                if other not in order:
                    todo += [(unit, rest), (other, None)]
                    break
                if other not in part:
                    low[unit] = min(low[unit], low[other])
            else:
                if low[unit] == order[unit]:
                    while unit not in part:
                        part[stack.pop()] = order[unit]
                if todo:
                    below = todo[-1][0]
                    low[below] = min(low[below], low[unit])
    return part


def main():
    units = collections.defaultdict(lambda: (set(), set(), set()))
    homes = collections.defaultdict(set)
    for path in sys.argv[1:]:
        included, used, shared, own = read_unit(path)
        for into, names in zip(units[path[:-2]], (included, used, own)):
            into |= names
        for name in shared:
            homes[name].add(path[:-2])
    home = {name: min(where) for name, where in homes.items() if len(where) == 1}  # an interface has several
    arrows = {unit: collections.defaultdict(list) for unit in units}
    for unit, (included, used, own) in units.items():
        for other in (included & units.keys()) - {unit}:
            arrows[unit][other].append("includes it")
        for name in sorted((used - own) & home.keys()):
            if home[name] != unit:
                arrows[unit][home[name]].append("takes " + name)
    part = circles(arrows)
    for unit in sorted(arrows):
        for other in sorted(arrows[unit]):
            if part[unit] == part[other]:
                print("circle: %s -> %s (%s)" % (unit, other, ", ".join(arrows[unit][other])))


main()
