"""rust_layout.py CC RUSTC PLUGIN_DIR: agpu_device_plugin.rs has every structure, member, offset and size of
agpu_device_plugin.h, and its version."""
import os
import re
import subprocess
import sys
import tempfile

RUST = {"bar": "Bar", "host": "Host", "info": "Info", "picture": "Picture", "plugin": "Plugin<()>"}


def members(header):
    """Yields the structures of the header with the names of their members."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    for name, body in re.findall(r"^struct agpu_device_(\w+) \{(.*?)^\};", text, re.DOTALL | re.MULTILINE):
        names = []
        for declaration in body.split(";")[:-1]:
            function = re.search(r"\(\*(\w+)\)", declaration)
            names += [function[1]] if function else re.findall(r"(\w+)(?:\[\w+\])?\s*(?=,|$)", declaration)
        yield name, names


def main(cc, rustc, plugin):
    with open(plugin + "/agpu_device_plugin.h", encoding="utf-8") as file:
        structures = list(members(file.read()))
    if sorted(name for name, _ in structures) != sorted(RUST):
        return "expected the structures %s in the header, found %s" % (sorted(RUST), structures)
    c = ['#include <stdio.h>\n#include "agpu_device_plugin.h"\nint main(void) {',
         'printf("version %u.%u\\n", AGPU_DEVICE_PLUGIN_MAJOR, AGPU_DEVICE_PLUGIN_MINOR);']
    rust = ['#[path = "%s/examples/agpu_device_plugin.rs"]\nmod plugin;\nuse plugin::*;' % plugin,
            "fn bytes<T>(_: *const T) -> usize { std::mem::size_of::<T>() }",
            "macro_rules! at { ($name:expr, $kind:ty, $member:ident) => {",
            "    let whole = std::mem::MaybeUninit::<$kind>::uninit();",
            "    let part = unsafe { std::ptr::addr_of!((*whole.as_ptr()).$member) };",
            '    println!("{} {} {}", $name, part as usize - whole.as_ptr() as usize, bytes(part));\n} }',
            'fn main() {\nprintln!("version {}.{}", MAJOR, MINOR);']
    for name, names in structures:
        c.append('printf("%s %%zu\\n", sizeof(struct agpu_device_%s));' % (name, name))
        rust.append('println!("%s {}", std::mem::size_of::<%s>());' % (name, RUST[name]))
        for member in names:
            c.append('printf("{0}.{1} %zu %zu\\n", offsetof(struct agpu_device_{0}, {1}), sizeof(((struct agpu_device_{0} *)0)->{1}));'
                     .format(name, member))
            rust.append('at!("%s.%s", %s, %s);' % (name, member, RUST[name], member))
    with tempfile.TemporaryDirectory() as work:
        for file, lines in (("c.c", c + ["return 0; }"]), ("rust.rs", rust + ["}"])):
            with open(os.path.join(work, file), "w", encoding="utf-8") as out:
                out.write("\n".join(lines) + "\n")
        subprocess.run([cc, "-I" + plugin, "-o", work + "/c", work + "/c.c"], check=True)
        subprocess.run([rustc, "-o", work + "/rust", work + "/rust.rs"], check=True)
        expected, found = (subprocess.run([work + "/" + program], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
                           for program in ("c", "rust"))
    different = ["expected %s, found %s" % pair for pair in zip(expected, found) if pair[0] != pair[1]]
    print("rust_layout: %d structures and members" % (len(expected) - 2))
    return "examples/agpu_device_plugin.rs differs from the header: " + "; ".join(different) if different else 0


sys.exit(main(*sys.argv[1:]))
