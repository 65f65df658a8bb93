#!/bin/bash
# install.sh BUILD CC: the files of cmake --install are usable in place: the tool with its helpers, the header with its
# example.
set -euo pipefail
build=${1:?build folder}
cc=${2:?C compiler}
root=$(mktemp -d)
prefix=$root/usr
trap 'rm -rf "$root"' EXIT
die() {
    echo "install: $*" >&2
    exit 1
}

for component in agpu dev; do
    DESTDIR=$root cmake --install "$build" --prefix /usr --component "$component" >/dev/null || die "cmake --install: status $?"
done
outside=$(cd "$root" && find . -type f ! -path './usr/*')
[ -z "$outside" ] || die "everything is installed below ./usr, but not these: $outside"
[ "$(readlink "$prefix/bin/agpu")" = ../libexec/agpu/agpu ] || die "bin/agpu is no link to the program"
"$prefix/bin/agpu" list --ids 'ring.*' | grep -qx ring.wrap.slots || die "agpu does not list its cases"
for program in agpu agpu-shaderc agpu-render; do
    [ ! -x "$build/bin/$program" ] || [ -x "$prefix/libexec/agpu/$program" ] || die "$program is not beside agpu"
done
[[ $("$prefix/bin/agpu" serve --help) == *127.0.0.1* ]] || die "agpu serve is not there"
[ -x "$prefix/bin/agpu-ci" ] && [ -s "$prefix/share/agpu/ci/action.yml" ] || die "the files for continuous integration are not there"
[ -s "$prefix/share/man/man1/agpu-run.1" ] || die "no manual"
# The handbook leads to the specification, and a failed case to its source.
doc=$prefix/share/doc/agpu
while IFS=: read -r page link; do
    link=${link#"]("}
    [ -e "${page%/*}/${link%[)#]}" ] || die "$page has a link to ${link%[)#]}, which is not installed"
done < <(grep -roE --include='*.md' '\]\([^):#]+[)#]' "$doc")
for page in pci/device.md ring/ring.md ring/commands.md ring/legacy.md mm/vidmm.md umd-port/umd.md cases/cases.md; do
    grep -rqF "/$page)" "$doc/tests/handbook" || die "the handbook has no link to $page"
done
"$prefix/bin/agpu" list --json | sed -n 's/^ *"file": "\(.*\)",$/\1/p' | sort -u | (cd "$doc" && xargs ls >/dev/null) ||
    die "sources of cases are not installed"
[ ! -e "$prefix/share/agpu/agpu.img" ] || grep -qs 'GNU GENERAL PUBLIC LICENSE' "$doc/copyright" ||
    die "agpu.img has GRUB, but $doc/copyright lacks its license: build the image again"
mkdir "$root/run"
echo '{"seq":0,"t_us":0,"type":"plan","id":"-","count":1,"build":"b","device":"d"}' >"$root/run/results.jsonl"
"$prefix/bin/agpu" report "$root/run" >/dev/null || true # the run is incomplete
grep -qF "\"documents\":\"$(realpath "$doc")\"" "$root/run/report.html" || die "links of report.html do not lead to $doc"
# The installed image is found from any directory: a run that lacks everything else does not name it as missing.
truncate -s 1M "$prefix/share/agpu/agpu.img"
said=$(cd / && env -u AGPU_IMAGE "$prefix/bin/agpu" run --qemu "$prefix/none" 2>&1) && die "a run without QEMU passed"
[[ $said == *"$prefix/none: Debian's qemu"* && $said != *agpu.img* ]] || die "the installed image is not found: $said"
"$cc" -shared -fPIC -Wall -Werror -I "$prefix/include" -o "$prefix/minimal.so" "$prefix/share/agpu/plugin/minimal.c" ||
    die "the example does not compile with the installed header"
