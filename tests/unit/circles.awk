# circles.awk: circles among C files, x.c and x.h being one: of includes, and of functions and data that one takes from the
# other. A header that declares what another file defines takes it from there. Prints each arrow that lies on a circle.
function unit(path) { sub(/\.[ch]$/, "", path); return path }
FNR == 1 {
    file = FILENAME
    here = unit(file)
    units[here] = 1
    head = ""
    comment = 0
    in_macro = 0
}
{
    line = $0
    if (match(line, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/)) {
        split(line, part, "\"")
        if (unit(part[2]) != here)
            include[here, unit(part[2])] = 1
        next
    }
    # Lines of a macro are no definitions, but they use names.
    macro = in_macro || line ~ /^[ \t]*#/
    in_macro = macro && line ~ /\\$/
    gsub(/"([^"\\]|\\.)*"/, "", line)
    out = ""
    while (line != "") { # comments, which may go over several lines
        if (comment) {
            at = index(line, "*/")
            if (!at) break
            line = substr(line, at + 2)
            comment = 0
        } else {
            at = index(line, "/*")
            if (!at) { out = out line; break }
            out = out substr(line, 1, at - 1)
            line = substr(line, at + 2)
            comment = 1
        }
    }
    line = out
    # A definition begins in the first column; that of a function ends with a brace there.
    if (file ~ /\.c$/ && !macro) {
        if (line ~ /^[A-Za-z_]/ && head == "") head = line
        else if (head != "" && line !~ /^[{}]/) head = head " " line
        if (head ~ /^[A-Z_0-9]+\(/) { # a macro that is expanded
            if (head ~ /\);?[ \t]*$/) head = ""
        } else if (head != "") {
            ended = head ~ /;[ \t]*$/ || line ~ /^\{/ || head ~ /=[^=].*$/ || head ~ /\{[ \t]*$/
            if (ended) {
                name = ""
                if (line ~ /^\{/ && index(head, "(")) name = substr(head, 1, index(head, "(") - 1)
                else if (head ~ /=/ && head !~ /^(typedef|enum|struct [A-Za-z_0-9]+ \{|extern)/) {
                    name = substr(head, 1, index(head, "=") - 1)
                    sub(/\[.*$/, "", name)
                }
                sub(/[ \t]+$/, "", name)
                if (match(name, /[A-Za-z_][A-Za-z_0-9]*$/)) {
                    name = substr(name, RSTART)
                    if (head ~ /^static/) own[here, name] = 1
                    else if (head !~ /^extern/) home[name] = here
                }
                head = ""
            }
        }
    }
    while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
        used[here, substr(line, RSTART, RLENGTH)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
}
END {
    for (pair in include) {
        split(pair, part, SUBSEP)
        if (part[2] in units) edge[pair] = "includes it"
    }
    for (pair in used) {
        split(pair, part, SUBSEP)
        name = part[2]
        if (name in home && home[name] != part[1] && !((part[1], name) in own)) {
            key = part[1] SUBSEP home[name]
            if (key in edge) edge[key] = edge[key] ", " name
            else edge[key] = "takes " name
        }
    }
    do {
        changed = 0
        for (u in units) { out_of[u] = 0; into[u] = 0 }
        for (pair in edge) {
            split(pair, part, SUBSEP)
            out_of[part[1]]++
            into[part[2]]++
        }
        for (u in units)
            if (!out_of[u] || !into[u]) {
                delete units[u]
                changed = 1
            }
        for (pair in edge) {
            split(pair, part, SUBSEP)
            if (!(part[1] in units) || !(part[2] in units)) delete edge[pair]
        }
    } while (changed)
    # What is left may also lie between two circles.
    for (pair in edge) {
        split(pair, part, SUBSEP)
        next_of[part[1]] = next_of[part[1]] " " part[2]
    }
    for (pair in edge) {
        split(pair, part, SUBSEP)
        split("", seen)
        todo = part[2]
        while (todo != "" && !(part[1] in seen)) {
            count = split(todo, list, " ")
            todo = ""
            for (i = 1; i <= count; i++)
                if (!(list[i] in seen)) {
                    seen[list[i]] = 1
                    todo = todo next_of[list[i]]
                }
        }
        if (part[1] in seen) printf "circle: %s -> %s (%s)\n", part[1], part[2], edge[pair]
    }
}
