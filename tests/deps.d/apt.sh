# A private apt: fetches signed packages of another Debian release without touching the system's own apt or dpkg.
# shellcheck shell=bash

agpu_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints the Debian mirrors to try, one per line: those of this machine's apt (apt itself reads both .list and .sources
# files), recognised by their label, or by their path if no index was downloaded yet.
apt_mirrors() {
    # shellcheck disable=SC2016 # apt expands these, not the shell
    local ask=(apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages')
    { "${ask[@]}" && "${ask[@]}" --no-release-info; } 2>/dev/null |
        sed -nE -e 's|^(https?://[^ ]*[^ /])/* Debian$|\1|p' -e 's|^(https?://[^ ]*/debian)/* .*|\1|p' |
        awk '!seen[$0]++'
}

# Prints the mirrors of Debian's security archive to try: those of this machine's apt, then the one next to MIRROR.
apt_security_mirrors() {
    # shellcheck disable=SC2016 # apt expands these, not the shell
    apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' 2>/dev/null |
        sed -nE 's|^(https?://[^ ]*[^ /])/* Debian-Security$|\1|p' | awk '!seen[$0]++'
    case $1 in
    */debian) echo "$1-security" ;;
    esac
}

apt_sources() { # DIR TYPE MIRROR SUITES
    printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$2" "$3" "$4" "$agpu_keyring"
}

# apt_open DIR TYPE MIRROR SUITE...: makes a private apt in DIR whose only sources are MIRROR's SUITEs, and reads their
# indexes; with trixie also trixie-security, if a mirror has it. Afterwards `apt_in DIR apt-get ...` works there. Needs
# no root. Returns nonzero if the indexes are unavailable, not signed by Debian, or out of date.
apt_open() {
    local dir=$1 type=$2 mirror=$3 fresh=true security
    shift 3
    # A signed index may still be old, and bring old defects back. The setting of this machine's apt does not count.
    [ -z "${AGPU_APT_EXPIRED:-}" ] || fresh=false
    rm -rf "$dir"
    mkdir -p "$dir"/{sources,conf,preferences,lists/partial,cache/archives/partial,log}
    : >"$dir/status"
    apt_sources "$dir" "$type" "$mirror" "$*" >"$dir/sources/debian.sources"
    {
        # The machine's way to the network (proxies, certificates, timeouts) stays; its hooks, pins and extra indexes
        # do not.
        apt-config dump | grep '^Acquire::' | grep -v '^Acquire::IndexTargets' || true
        cat <<EOF
Acquire::Languages "none";
Acquire::Retries "3";
APT::Get::Assume-Yes "true";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Check-Valid-Until "$fresh";
Acquire::Check-Date "$fresh";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$dir/conf";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$dir/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$dir/preferences";
Dir::State "$dir";
Dir::State::status "$dir/status";
Dir::Cache "$dir/cache";
Dir::Log "$dir/log";
EOF
    } >"$dir/apt.conf"
    case " $* " in
    *" trixie "*)
        for security in $(apt_security_mirrors "$mirror"); do
            apt_sources "$dir" "$type" "$security" trixie-security >"$dir/sources/security.sources"
            ! apt_in "$dir" apt-get update || return 0
        done
        rm -f "$dir/sources/security.sources"
        apt_in "$dir" apt-get update
        ;;
    *) apt_in "$dir" apt-get update ;;
    esac
}

# apt_warn DIR: warns if the security archive is unavailable.
apt_warn() {
    [ -e "$1/sources/security.sources" ] || say "no mirror here has trixie-security: goes on with what trixie has"
}

apt_in() {
    local dir=$1
    shift
    APT_CONFIG=$dir/apt.conf "$@"
}

# apt_explain LOG WHAT: ends with the last lines of a failed private apt's log and advice.
apt_explain() {
    [ -e "$1" ] || die "$2: apt here knows no Debian mirror; add one to /etc/apt/sources.list and run tests/deps again"
    tail -n 15 "$1" >&2
    if grep -qE "NO_PUBKEY|Missing key|is not signed|couldn't be verified" "$1"; then
        die "$2: the installed debian-archive-keyring does not know the key that signs it. Run:" \
            "$(as_root_text 'apt-get update') && $(as_root_text 'apt-get install --only-upgrade debian-archive-keyring')"
    fi
    if grep -qE 'is expired|is not valid yet' "$1"; then
        die "$2: the mirror's signed index is out of date, or this machine's clock is wrong. Wait until the mirror has a newer" \
            "one, or name another mirror in /etc/apt/sources.list; if an old one is meant (a snapshot): AGPU_APT_EXPIRED=1 tests/deps"
    fi
    die "$2: could not be fetched (see above). When this machine can reach a Debian mirror, run: tests/deps"
}
