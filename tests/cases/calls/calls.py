"""Writes the texts of calls/ as C: calls.py OUTPUT FILE... (rig/calls.h)."""
import os
import sys

with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write('#include "tests/cases/rig/calls.h"\n\nconst struct agpu_calls agpu_calls[] = {\n')
    for path in sys.argv[2:]:
        with open(path, encoding="ascii") as text:
            lines = "".join('\n     "%s\\n"' % line.rstrip("\n") for line in text)
        out.write('    {"%s",%s},\n' % (os.path.basename(path)[:-len(".txt")], lines))
    out.write("    {0, 0},\n};\n")
