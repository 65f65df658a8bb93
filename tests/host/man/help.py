"""What --help says, in other forms: help.py AGPU RUN DIR writes DIR/agpu.1, DIR/agpu-COMMAND.1 for each command, DIR/agpu.bash
and DIR/_agpu (completion for bash and zsh, of agpu and of RUN, which is tests/run). --help is the one source."""
import re
import subprocess
import sys

agpu, run, folder = sys.argv[1:]


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def parse(text):
    """[["usage", TEXT], ["option", TERM, TEXT], ["text", TEXT], ["example", TEXT], ...]."""
    parts = [["", ""]]
    for line in text.splitlines():
        line = re.sub(r"^(  --[a-z-]+) +([A-Z]+) {2,}", r"\1 \2  ", line)  # names of a column are not aligned
        last = parts[-1]
        if found := re.match(r"usage: (.*)", line) or (last[0] == "usage" and re.match(r" {7}(\S.*)", line)):
            parts.append(["usage", found[1]])
        elif found := re.match(r"  (-{1,2}\S.*?|[A-Z]{3,})(?: {2,}(\S.*)|$)", line) or re.match(r"  (--\S+ \S+) (\S.*)$", line):
            parts.append(["option", found[1], found[2] or ""])
        elif last[0] == "option" and re.match(r" {8,}\S", line):
            last[2] = (last[2] + " " + line.strip()).strip()
        elif found := re.match(r"  (\S.*)", line):
            parts.append(["example", found[1]])
        elif line.strip() and last[0] == "text":
            last[1] += " " + line
        elif line.strip() or last[0] == "text":
            parts.append(["text", line.strip()])
    return [part for part in parts if part[1] or part[0] == "option"]


def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def write(name, text):
    with open(folder + "/" + name, "w", encoding="utf-8") as file:
        file.write(text)


def page(name, purpose, parts, see_also):
    usage = [part[1] for part in parts if part[0] == "usage"] or [name + " [OPTIONS]"]
    forms = {"usage": "", "option": ".TP\n\\fB{}\\fR\n{}\n", "example": ".IP\n{}\n", "text": ".PP\n{}\n"}
    title = name.replace(" ", "-")
    write(title + ".1", '.TH %s 1 "" "AeroGPU bring-up image" "User Commands"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n%s.fi\n.SH DESCRIPTION\n%s'
          '.SH SEE ALSO\n%s\n' % (title.upper(), roff(name), roff(purpose), "".join(roff(line) + "\n" for line in usage),
                                  "".join(forms[kind].format(*map(roff, texts)) for kind, *texts in parts), see_also))


main = said(agpu, "--help")
commands = dict(re.findall(r"^  ([a-z-]+) +(\S.*)$", main, re.M))
names = " ".join(commands)
parts_of = {name: parse(said(agpu, name, "--help")) for name in commands}
for command, purpose in commands.items():
    page("agpu " + command, purpose, parts_of[command], ".BR agpu (1)")
page("agpu", "tests a device, collects from boards, reports", parse(main), ",\n".join(".BR agpu\\-%s (1)" % name for name in commands))
parts_of["tests/run"] = parse(said(run, "--help"))


def options_of(name):
    """{option: (word of its value or "", sentence)}, each as it was named first."""
    options = {}
    for term, text in (part[1:] for part in parts_of[name] if part[0] == "option"):
        for option, _, value in re.findall(r"(--[a-z][a-z-]*)(?:\[?=?([a-z]+)\]?)?(?: ([^-\s,][^\s,]*))?", term):
            options.setdefault(option, (value, text))
    options.setdefault("--help", ("", "what there is"))
    return options


def values_of(option, value, text):
    """What the shell offers for the value: words, or one of @cases, @faults, @files; "" for nothing."""
    known = {"--filter": "@cases", "--case": "@cases", "--fault": "@faults", "--tag": "quick full stress destructive",
             "--trace": "calls state resources caps", "--format": "junit ktap csv html json github"}
    if re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", value) and not known.get(option, "").startswith("@"):
        return value.replace("|", " ")
    if listed := re.search(r": ([a-z0-9-]+(?:, [a-z0-9-]+)* or [a-z0-9-]+) \(default", text):
        return re.sub(r",| or\b", "", listed[1])
    return known.get(option) or ("@files" if re.search(r"FILE|DIR|PATH|DEVICE|PROGRAM|PREFIX|^[A-D]$", value) or option == "--device" else "")


def zsh_spec(option, value, text):
    offer = values_of(option, value, text)
    action = {"": " ", "@cases": "{_agpu_cases}", "@faults": "{_agpu_faults}", "@files": "_files"}.get(offer, "(%s)" % offer)
    text = re.sub(r"['\[\]:\\]", "", text if len(text) <= 70 else text[:70] + "...")
    return "'*%s[%s]%s'" % (option, text, value and ":%s:%s" % (re.sub(r"['\[\]:\\(){}]", "", value), action))


tables = values = zsh = ""
for name in parts_of:
    options = options_of(name)
    tables += "    %s) options='%s' ;;\n" % (name, " ".join(options))
    values += "".join("    %s:%s) values='%s' ;;\n" % (name, option, values_of(option, value, text)) for option, (value, text) in options.items() if value)
    rest = "'*:case:{_agpu_cases}'" if "run" in name or "list" in name else "'*:file:_files'"
    zsh += "    %s) _arguments %s ;;\n" % (name, " \\\n        ".join([zsh_spec(option, *of) for option, of in options.items()] + [rest]))
write("agpu.bash", r"""# Completion of agpu and tests/run for bash; made from --help. Source it, or put it into /etc/bash_completion.d.
_agpu() {
    local tool=$1 current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=tests/run options='' values=none agpu
    COMPREPLY=()
    agpu=$tool
    [[ $tool != *tests/run ]] || agpu=${tool%tests/run}build/host/tests/host/agpu
    if [[ $tool != *tests/run ]]; then
        command=${COMP_WORDS[1]}
        if [ "$COMP_CWORD" = 1 ]; then
            mapfile -t COMPREPLY < <(compgen -W '@NAMES@ --help --version' -- "$current")
            return
        fi
    fi
    case $command in
@TABLES@    esac
    case $command:$before in
@VALUES@    esac
    if [ "$values" = none ] && [[ $current != -* ]]; then
        case $command in run | list | history | tests/run) values=@cases ;; *) values=@files ;; esac
    fi
    case $values in
    none) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
    @cases) mapfile -t COMPREPLY < <(compgen -W "$("$agpu" list --ids "$current*" 2>/dev/null)" -- "$current") ;;
    @faults) mapfile -t COMPREPLY < <(compgen -W "$({ [ "$command" = tests/run ] && "$tool" --fault list || "$agpu" vdev --list-faults; } 2>/dev/null | cut -d' ' -f1)" -- "$current") ;;
    @files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current") ;;
    esac
}
complete -o filenames -F _agpu agpu tests/run ./tests/run
""".replace("@NAMES@", names).replace("@TABLES@", tables).replace("@VALUES@", values))
write("_agpu", r"""#compdef agpu tests/run
# Completion of agpu and tests/run for zsh; made from --help. Put it into a folder of $fpath.
_agpu_tool() { [[ $service == *tests/run ]] && print build/host/tests/host/agpu || print agpu }
_agpu_cases() { compadd -- ${(f)"$($(_agpu_tool) list --ids 2>/dev/null)"} }
_agpu_faults() { compadd -- ${(f)"$({ [[ $service == *tests/run ]] && $service --fault list || $(_agpu_tool) vdev --list-faults; } 2>/dev/null | cut -d' ' -f1)"} }
local command=tests/run
if [[ $service != *tests/run ]]; then
    if (( CURRENT == 2 )); then
        compadd -- @NAMES@
        return
    fi
    command=$words[2]
    shift words
    (( CURRENT-- ))
fi
case $command in
@ZSH@ esac
""".replace("@NAMES@", names).replace("@ZSH@", zsh))
