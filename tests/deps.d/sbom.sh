# Fetched packages and their origin: a list next to each item in the cache directory, printed as CycloneDX.
# shellcheck shell=bash

# sbom_note DEST FILE...: records the packages (.deb, or the files of a source package with its .dsc) of which DEST is
# made.
sbom_note() {
    local dest=$1 file name version arch
    shift
    for file in "$@"; do
        case $file in
        *.deb)
            # shellcheck disable=SC2016 # dpkg-deb expands these, not the shell
            IFS=$'\t' read -r name version arch < <(dpkg-deb -W --showformat='${Package}\t${Version}\t${Architecture}\n' "$file")
            ;;
        *)
            name=$(basename "$file" | sed 's/_.*//')
            version=$(sed -n 's/^Version: *//p' "${file%/*}/$name"_*.dsc | head -n 1)
            arch=source
            ;;
        esac
        printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$version" "$arch" "$(sha256sum "$file" | cut -d' ' -f1)" "${file##*/}"
    done | sort >"$dest/sbom.tsv"
}

# sbom_print: prints all of them, and the installed packages of tests/deps.d/packages, as one CycloneDX 1.5 document.
sbom_print() {
    local listed thing
    listed=$(sed -n 's/^\([a-z0-9][^ #]*\).*/\1/p' "$agpu_root/tests/deps.d/packages")
    {
        for thing in qemu lwip mbedtls vkd3d; do
            if [ -f "$agpu_cache/$thing/sbom.tsv" ]; then
                sed "s/^/$thing\t/" "$agpu_cache/$thing/sbom.tsv"
            elif [ -d "$agpu_cache/$thing" ]; then
                say "$agpu_cache/$thing was fetched before lists were kept: it is not in this one; remove it and run tests/deps"
            fi
        done
        # shellcheck disable=SC2016,SC2086 # dpkg-query expands the format; the list is words
        { dpkg-query -W -f='${db:Status-Status} installed\t${Package}\t${Version}\t${Architecture}\t\t\n' $listed 2>/dev/null || true; } |
            sed -n 's/^installed //p'
    } | awk -F'\t' '
        function quoted(text) { gsub(/[\\"]/, "\\\\&", text); return "\"" text "\"" }
        BEGIN {
            print "{"
            print "  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,"
            print "  \"metadata\": {\"component\": {\"type\": \"application\", \"name\": \"aerogpu-bringup\"}},"
            printf "  \"components\": ["
        }
        {
            printf "%s\n    {\"type\": %s, \"group\": %s, \"name\": %s, \"version\": %s,", (NR > 1 ? "," : ""),
                   (($6 == "" || $6 ~ /\.deb$/) ? "\"library\"" : "\"file\""), quoted($1), quoted($2), quoted($3)
            printf " \"purl\": %s", quoted("pkg:deb/debian/" $2 "@" $3 "?arch=" $4)
            if ($5 != "") printf ", \"hashes\": [{\"alg\": \"SHA-256\", \"content\": %s}]", quoted($5)
            printf "}"
        }
        END { print "\n  ]\n}" }'
}
