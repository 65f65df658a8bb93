#!/usr/bin/env python3
"""Writes the sample agpu.cfg: sample_cfg.py OUTPUT TABLE... (config.def, settings.def): every key with its help and its default."""
import re
import sys
import textwrap

HEAD = """\
agpu.cfg: what agpu.efi does. Lines are key=value; '#' begins a comment line. Every line below shows its default. The image reports \
a line that it cannot use, with its number, and the run is an ERROR.

The same key=value, as words with blanks between ("..." around a value that has blanks), may be in the load options (after the \
program's name in the UEFI shell, in a boot entry, after iPXE's chain) and in DHCP option 224. Load options win over the file, and \
the file over DHCP; the plan record lists the source of each key. The file is agpu.cfg in the directory of agpu.efi, else \
\\EFI\\AGPU\\agpu.cfg on the same volume. Booted by PXE or UEFI HTTP boot, it is agpu-52-54-00-12-34-56.cfg (the card's address) in \
the directory of the boot file on the server, else agpu.cfg there, else the file on a disc that was loaded."""
STRING = r'"(?:[^"\\]|\\.)*"'
ROW = re.compile(r'^(?:NUMBER|WORD|TEXT|READ|SETTING)\((?:[A-Z0-9_]+, )?(\w+), "([^"]*)",.*?((?:%s\s*)+)\)$' % STRING, re.M | re.S)


def comment(text):
    return "".join("# %s\n" % line if line else "#\n" for part in text.split("\n") for line in textwrap.wrap(part, 116) or [""])


def main():
    out = [comment(HEAD)]
    for path in sys.argv[2:]:
        with open(path, encoding="ascii") as table:
            for key, usual, text in ROW.findall(table.read()):
                text = "".join(part[1:-1] for part in re.findall(STRING, text)).replace("\\\\", "\\")
                out.append("%s#%s=%s\n" % (comment(text), key, usual))
    with open(sys.argv[1], "w", encoding="ascii") as sample:
        sample.write("\n".join(out))


main()
