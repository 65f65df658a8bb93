#!/bin/bash
# vdev_cli.sh PATH_OF_AGPU [PLUGIN]: the command line of `agpu vdev`: readiness, socket file, exit statuses.
set -u
agpu=$1
plugin=${2:-}
folder=$(mktemp -d) || exit 1
socket=$folder/socket
server= # running process that was not waited for; only this one may be signalled
cleanup()
{
    if [ -n "$server" ]; then
        kill -KILL "$server"
    fi
    rm -rf "$folder"
}
trap cleanup EXIT

fail()
{
    echo "FAIL: $*" >&2
    cat "$folder"/*.log >&2 2>/dev/null
    exit 1
}

# expect STATUS WORDS ARGUMENTS...: runs to the end, checks the exit status and the output.
expect()
{
    local status=$1 words=$2 said got
    shift 2
    said=$(timeout 20 "$agpu" vdev "$@" 2>&1 </dev/null)
    got=$?
    [ "$got" = "$status" ] || fail "vdev $*: exit status $got, expected $status: $said"
    [[ $said == *"$words"* ]] || fail "vdev $*: said '$said', expected '$words'"
}

# start NAME ARGUMENTS...: starts a server, waits for its readiness line, sets $server.
start()
{
    local name=$1 line
    shift
    mkfifo "$folder/$name.ready"
    "$agpu" vdev --socket "$socket" --log "$folder/$name.log" "$@" >"$folder/$name.ready" &
    server=$!
    read -r -t 20 line <"$folder/$name.ready" || fail "$name: no readiness line"
    [ "$line" = "ready $socket" ] || fail "$name: readiness line is '$line'"
    [ -S "$socket" ] || fail "$name: ready without a socket"
}

# stop SIGNAL: ends $server, which must exit cleanly and remove its socket.
stop()
{
    local status
    kill -"$1" "$server"
    wait "$server"
    status=$?
    server=
    [ "$status" = 0 ] || fail "exit status $status after SIG$1"
    [ ! -e "$socket" ] || fail "socket left behind after SIG$1"
}

expect 0 "usage: agpu vdev" --help
expect 0 "copy_drops_tail" --list-faults
expect 2 "usage: agpu vdev"
expect 2 "usage: agpu vdev" --socket "$socket" extra
expect 2 "no-such-option" --socket "$socket" --no-such-option
expect 2 "expected 1.0 to 1.4" --socket "$socket" --abi 2.0
expect 2 "no.such.fault" --socket "$socket" --fault no.such.fault
expect 2 "nearest: fence_lost" --socket "$socket" --fault fence_lots
expect 2 "the fault ../../agpu; the nearest" --socket "$socket" --fault ../../agpu
expect 2 "--control inspects the model of this program" --socket "$socket" --fault copy_drops_tail --control "$folder/c"
expect 2 "open descriptor" --socket "$socket" --ready-fd 77
expect 2 "open descriptor" --socket "$socket" --ready-fd x
expect 2 "microseconds" --socket "$socket" --spin-us -1
expect 1 "cannot write the submission log" --socket "$socket" --submission-log "$folder/no/where"
expect 1 "ordinary file" --socket "$socket" --submission-log /dev/null
expect 1 "--control:" --socket "$socket" --control "$folder/no/where"
expect 1 "cannot write the log" --socket "$socket" --log "$folder/no/where"
expect 1 "No such file" --socket "$folder/no/where"
[ ! -e "$socket" ] || fail "socket left behind by a refused start"

# jailed WHICH PATTERN: checks a line of the kernel's status of the running server.
jailed()
{
    grep -Eq "^$1:[[:space:]]+$2\$" "/proc/$server/status" ||
        fail "expected $1 $2, found: $(grep "^$1:" "/proc/$server/status")"
}

start first
# Dropped privileges: all but one of root's, and without sanitizers most system calls.
jailed NoNewPrivs 1
jailed CapEff '000000000000000[02]'
jailed CapPrm '000000000000000[02]'
grep -q "an instrumented build" "$folder/first.log" || jailed Seccomp 2
expect 1 "another server" --socket "$socket"
if [ -n "$plugin" ]; then
    expect 1 "another server" --socket "$socket" --device "$plugin"
fi
[ -S "$socket" ] || fail "the live server's socket is gone"
stop TERM
grep -q "0 clients, 0 messages" "$folder/first.log" || fail "no statistics in the log"

exec 9>"$folder/ready.log"
start second --ready-fd 9 --once --no-bar1-mmap
exec 9>&-
[ "$(cat "$folder/ready.log")" = "ready $socket" ] || fail "nothing written to --ready-fd"
kill -KILL "$server"
wait "$server" 2>/dev/null
server=
[ -S "$socket" ] || fail "a killed server cannot have removed its socket"

start legacy --abi legacy --control "$folder/control" --submission-log "$folder/submissions"
[ -S "$folder/control" ] || fail "ready without the control socket"
stop TERM
[ ! -e "$folder/control" ] || fail "control socket left behind"
[ -e "$folder/submissions" ] || fail "no submission log"
grep -q "device legacy: 0 doorbells" "$folder/legacy.log" || fail "no statistics of the device in the log"
grep -q "submission log: 0 lines, 0 dropped" "$folder/legacy.log" || fail "no count of logged lines"

# Pictures and dumps of a device, on request.
start evidence --device "$plugin" --evidence "$folder/made/device"
jailed NoNewPrivs 1
grep -q "has all rights of its user" "$folder/evidence.log" || fail "not said that a plug-in is not jailed"
kill -USR1 "$server"
for _ in {1..500}; do
    [ ! -e "$folder/made/device-picture.png" ] || break
    sleep 0.02
done
stop TERM
[ "$(head -c 4 "$folder/made/device-picture.png" | tail -c 3)" = PNG ] || fail "no picture of the device"
grep -q '^device minimal: ' "$folder/made/device-state.txt" || fail "no name in the device's state"
grep -q '^last call: .* (call number ' "$folder/made/device-state.txt" || fail "no last call in the device's state"
grep -q '^doorbell 0, ?\[2J fence 0$' "$folder/made/device-state.txt" || fail "no dump in the device's state"
rm "$folder/made"/device-*
for bad in picture_size picture_pitch; do
    AGPU_BAD_DEVICE=$bad start $bad --device "$plugin" --evidence "$folder/made/device"
    kill -USR1 "$server"
    for _ in {1..500}; do
        [ ! -e "$folder/made/device-state.txt" ] || break
        sleep 0.02
    done
    stop TERM
    rm "$folder/made/device-state.txt" || fail "$bad: no state"
    [ -z "$(ls "$folder/made")" ] || fail "$bad: a picture that cannot be was written"
done

start third # replaces the stale socket
stop INT

echo plain >"$socket"
expect 1 "not a socket" --socket "$socket"
[ "$(cat "$socket")" = plain ] || fail "a file that is not a socket was touched"
echo PASS
