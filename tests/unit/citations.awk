# citations.awk: reads the seven texts of the specification with phase=1, then every file of the tree with phase=2, and
# prints each citation that leads nowhere. `list` names a file with the paths of the tree, one a line. See citations.sh.

function breach(text) {
    print file ":" number ": " text
    breaches++
}

# The paths and names that exist, and where the texts of the specification stand.
BEGIN {
    while ((getline path < list) > 0) {
        tree[path] = 1
        sub(/.*\//, "", path)
        base[path] = 1
    }
    count = split("pci/device.md ring/ring.md ring/commands.md ring/legacy.md mm/vidmm.md umd-port/umd.md tests/cases/cases.md", texts, " ")
    for (i = 1; i <= count; i++) {
        name = texts[i]
        sub(/.*\//, "", name)
        home[name] = texts[i]
    }
}

# ---- phase 1: a section is a numbered heading, or a row of a table whose first cell continues the heading's number ----
phase == 1 {
    if (FNR == 1) {
        text = FILENAME
        sub(/.*\//, "", text)
        heading = ""
    }
    if ($0 ~ /^##+ [0-9]/) {
        heading = $2
        sub(/\.$/, "", heading)
        section[text " " heading] = 1
    } else if ($0 ~ /^\| [0-9]+\.[0-9]+ \|/ && index($2, heading ".") == 1) {
        section[text " " $2] = 1
    }
    if (text == "cases.md" && match($0, /^- [A-Z]+-[0-9][0-9]+\./)) {
        key = substr($0, 3, RLENGTH - 3)
        behaviour[key] = 1
        sub(/-.*/, "", key)
        group[key] = 1
    }
    next
}

# ---- phase 2: each line together with the next one, since citations wrap ----
function need(text, n) {
    if (!((text " " n) in section))
        breach("cites " text ", which has no section " n)
}

# A range of sections: "8 to 10", "6.2-6.5". Both ends are at the same depth.
function need_range(text, from, to,    prefix, a, b) {
    prefix = from
    if (!sub(/[0-9]+$/, "", prefix))
        prefix = ""
    a = substr(from, length(prefix) + 1) + 0
    b = substr(to, length(prefix) + 1) + 0
    if (substr(to, 1, length(prefix)) != prefix || b <= a || b - a > 50) {
        breach("cites " text " " from " to " to ", which is no range")
        return
    }
    for (a++; a <= b; a++)
        need(text, prefix a)
}

# The section numbers that rest begins with; how many there are. "section" may stand in front in running text only.
function numbers(text, rest,    n, last, range, found) {
    sub(/^`/, "", rest)
    if (prose)
        sub(/^ sections? /, " ", rest)
    while (match(rest, /^ ?[0-9]+(\.[0-9]+)*/)) {
        n = substr(rest, 1, RLENGTH)
        rest = substr(rest, RLENGTH + 1)
        sub(/^ /, "", n)
        if (range)
            need_range(text, last, n)
        else
            need(text, n)
        found++
        last = n
        range = 0
        if (rest ~ /^-[0-9]/ || rest ~ /^ to [0-9]/) {
            range = 1
            sub(/^(-| to)/, "", rest)
        } else if (rest ~ /^, [0-9]/ || rest ~ /^,? and [0-9]/ || rest ~ /^ or [0-9]/) {
            sub(/^(,? and|,| or)/, "", rest)
        } else {
            break
        }
    }
    return found
}

# "section 4.2" without a text: in a text of the specification its own, elsewhere it says too little.
function bare_sections(line, both,    at, rest, front) {
    rest = both
    at = 0
    while (match(rest, /[Ss]ections? [0-9]+(\.[0-9]+)*/)) {
        at += RSTART
        if (at > length(line))
            return
        front = substr(both, 1, at - 1)
        if (front !~ /\.md`? $/ && front !~ /[A-Za-z]$/) {
            if (own != "")
                numbers(own, substr(both, at + index(substr(both, at), " ") - 1))
            else if (line !~ /RFC|ACPI|UEFI|Vulkan|WDK/)
                breach("cites a section without its text")
        }
        rest = substr(both, at + 8)
        at += 7
    }
}

# Required behaviours: GROUP-NN, and ", NN" or " to NN" behind one for more of the same group.
function behaviours(line,    rest, key, name, front) {
    rest = line
    while (match(rest, /[A-Z]+-[0-9][0-9]+/)) {
        front = substr(rest, 1, RSTART - 1)
        key = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        name = key
        sub(/-.*/, "", name)
        if (front ~ /[A-Za-z0-9_-]$/ || rest ~ /^[A-Za-z0-9_]/ || !(name in group))
            continue
        if (!(key in behaviour))
            breach("cites cases.md, which has no " key)
        while (match(rest, /^(,| to| and) [0-9][0-9]/) && substr(rest, RLENGTH + 1) !~ /^([0-9]|\.[0-9])/) {
            key = name "-" substr(rest, RLENGTH - 1, 2)
            rest = substr(rest, RLENGTH + 1)
            if (!(key in behaviour))
                breach("cites cases.md, which has no " key)
        }
    }
}

# Does the path exist from the root, or from the file's folder or one above it?
function exists(path,    folder) {
    sub(/^\.\//, "", path)
    folder = file
    for (;;) {
        if (!sub(/\/[^\/]*$/, "", folder))
            return path in tree
        while (path ~ /^\.\.\//) {
            sub(/^\.\.\//, "", path)
            if (!sub(/\/[^\/]*$/, "", folder))
                return path in tree
        }
        if ((folder "/" path) in tree)
            return 1
    }
}

# Mentions of texts: *.md with what stands behind them.
function texts_cited(line, both,    at, rest, path, name, behind, found) {
    rest = both
    at = 0
    while (match(rest, /[A-Za-z0-9_.\/-]*[A-Za-z0-9_-]\.md/)) {
        at += RSTART
        if (at > length(line))
            return
        path = substr(rest, RSTART, RLENGTH)
        behind = substr(rest, RSTART + RLENGTH)
        rest = behind
        at += length(path) - 1
        if (behind ~ /^[A-Za-z0-9_]/)
            continue
        name = path
        sub(/.*\//, "", name)
        if (path ~ /\// && !exists(path)) {
            breach("cites " path ", which is not there")
        } else if (name in home) {
            found = numbers(name, behind)
            if (name == "cases.md" && behind ~ /^`?,? [A-Z]+-[0-9]/)
                found++
            if (!found && !prose && path !~ /\// && path != "cases.md")
                breach("cites " name " without a section")
        } else if (!(name in base)) {
            breach("cites " path ", which is not there")
        }
    }
}

# Names of files in comments and in prose: with a folder the path exists, without one the name does.
function files_named(text,    path, front) {
    while (match(text, /[A-Za-z0-9_.\/-]*[A-Za-z0-9_-]\.(c|h|sh|awk|def|tsv|hlsl|py)/)) {
        path = substr(text, RSTART, RLENGTH)
        front = substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (text ~ /^[A-Za-z0-9_*(]/ || text ~ /^\.[A-Za-z0-9]/ || front ~ /[<*}{$]$/ || path ~ /^[\/-]/)
            continue
        if (path ~ /^(linux|sys|vulkan|docs|build|arpa|sanitizer|std)/ || (path in elsewhere))
            continue
        if (path ~ /\// ? !exists(path) : !(path in base))
            breach("names " path ", which is not there")
    }
}

# The comments of one line of C; strings with comment marks in them do not occur.
function comments(line,    text, at) {
    text = ""
    for (;;) {
        if (commented) {
            at = index(line, "*/")
            if (!at)
                return text " " line
            text = text " " substr(line, 1, at - 1)
            line = substr(line, at + 2)
            commented = 0
        }
        at = index(line, "/*")
        if (!at)
            return text
        line = substr(line, at + 2)
        commented = 1
    }
}

function look(line, following,    both, stripped) {
    stripped = following
    sub(/^[ \t]*(\*|#|\/\/)?[ \t]*/, "", stripped)
    both = line
    sub(/[ \t]+$/, "", both)
    both = both " " stripped
    if (line ~ /^[ \t]*#[ \t]*include/)
        return
    texts_cited(line, both)
    bare_sections(line, both)
    behaviours(line)
    if (file ~ /\.[ch]$/) {
        comment = comments(line)
        files_named(comment)
        if (comment ~ /(\(|[Ss]teps? [0-9]+ of )[1-9][0-9]?\.[0-9]+((, [0-9.]+)*\)|( DEV)?:| steps?)/ ||
            line ~ /^\/\* [1-9][0-9]?(\.[0-9]+)?((,| and) [0-9]+(\.[0-9]+)?)*( DEV)?: /)
            breach("cites a section without its text")
    } else if (file ~ /\.md$/)
        files_named(line)
    else if (file ~ /\.(sh|txt|tsv|def)$/ && line ~ /^[ \t]*#/)
        files_named(line)
    # In the specification "(4.2)" is a section of the same text.
    if (own != "") {
        rest = line
        while (match(rest, /\([0-9]+\.[0-9]+\)/)) {
            need(own, substr(rest, RSTART + 1, RLENGTH - 2))
            rest = substr(rest, RSTART + RLENGTH)
        }
    }
}

phase == 2 && FNR == 1 {
    if (file != "")
        look(held, "")
    file = FILENAME
    prose = file ~ /\.md$/
    own = file
    sub(/.*\//, "", own)
    if (!(own in home) || home[own] != file)
        own = ""
    commented = 0
    number = 1
    held = $0
    next
}
phase == 2 {
    look(held, $0)
    number = FNR
    held = $0
}
END {
    if (file != "")
        look(held, "")
    exit breaches > 0
}
