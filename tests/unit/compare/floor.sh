#!/bin/bash
# floor.sh self|choices|faults AGPU INPROCESS ROOT BUILD: the minimum of what the comparison can do.
#   self     the model equals itself, as a board and as none, with all choices and with none
#   choices  devices that differ only where they may do not differ
#   faults   nine of ten of the faults below are found, within a minute each, by random work and properties, and by
#            these or the catalogue; without AGPU_TEST_LONG a sample, all of which must be found
# A fault is found if the comparison of the model with it ends with a difference that is not a hang; in the sample, with
# the difference that this fault causes. "choices" checks that a capability which comes with the fault is none.
set -euo pipefail
what=$1 agpu=$2 inprocess=$3 root=$4 build=$5
long=${AGPU_TEST_LONG:-}
work=$(mktemp -d)
made=()
trap 'rm -rf "$work" "${made[@]}"' EXIT

# same STREAMS ARGUMENTS...: there must be no difference.
same() {
    if ! timeout 1200 "$agpu" compare --no-catalogue --random "$1" "${@:2}" >"$work/out" 2>&1; then
        echo "floor.sh: expected no difference: ${*:2}" >&2
        cat "$work/out" >&2
        exit 1
    fi
    echo "${*:2}: $(grep '^verdict' "$work/out")"
}
board=model,pm=on,pcie=flr,msi=4,msix=8

seconds() { printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100)); }
now() { date +%s%3N; }

# tried FAULT LIMIT ARGUMENTS...: returns 0 if the fault is found within this many ms; the output is in out.
tried() {
    local status=0
    timeout "$(($2 / 1000 + 1))" "$agpu" compare --device model --device "model,fault=$1" --most 1 "${@:3}" >"$work/out" \
        2>"$work/said" || status=$?
    # A slow machine must not look like a fault: no fault of the model hangs.
    [ "$status" = 1 ] && grep -q '^verdict: the two differ' "$work/out" && ! grep -q 'hangs: a call did not return' "$work/out"
}

# Builds a model with this fault, if the build has no current one.
model_with() {
    [ -e "$build/variants/$1" ] || made+=("$build/variants/$1")
    python3 "$root/tests/faults/faults.py" build "$root" "$build" "$1"
}

# Fault, text of the finding (after its section), and a line of the reduced program that decides; -: any.
sampled="
fence_lost          COMPLETED_FENCE.is                  -
irq_ack_all         (the.interrupt.line|.*IRQ_STATUS).*is   .register.write.IRQ_ACK
copy_drops_tail     memory..*bytes.differ               ...COPY_
upload_shifted      memory..*bytes.differ               ...UPLOAD_RESOURCE
head_stuck          ring.\+.0x.*holds                   -
error_count_stuck   ERROR_COUNT.is                      -
reset_keeps_fence   COMPLETED_FENCE.is.0x0.on.A         -
vblank_stuck        VBLANK_(SEQ|TIME).is                -
clear_swaps_rb      memory..*bytes.differ               ...CLEAR
unknown_opcode      (ERROR_|IRQ_STATUS)                 -
power_decodes       the.power.state                     .power.state
flr_keeps_ring      (the.value.read.at.BAR0|COMPLETED_FENCE.is) (power.state|function.reset)
message_unmasked    the.number.of.messages              .interrupts.of
clear_depth_one_is_zero memory..*bytes.differ           ...CLEAR
vram_survives_reset (the.value.read.in.BAR1|.*survives.a.reset) -
capability_overlap  on.B.by.itself:.the.capabilities    -
"
further="fence_early no_fence_page irq_not_masked no_irq_ignored copy_texture_row writeback_lost writeback_to_readonly dirty_ignored
create_not_zeroed doorbell_lost hangs error_stops_fence reset_keeps_resources vsync_immediate fb_gpa_not_staged duplicate_alloc token_reuse
capability_loop capability_outside power_stuck power_state_d2 flr_ignored msi_count msi_address msix_outside msix_overlap express_version
vanishes message_lost message_forgotten message_and_line irq_lost irq_stuck fence_out_of_order writes_outside resets_itself fence_late"

# shows WHAT LINE: a finding in out has the text, and its program has the line.
shows() {
    grep -qE "^[a-z]+\.md [0-9.]+: $1" "$work/out" && { [ "$2" = - ] || grep -qE "^ .*$2" "$work/out"; }
}

# It must be the difference that the fault causes, not any difference.
sample() {
    local fault began says line
    while read -r fault says line; do
        [ -n "$fault" ] || continue
        model_with "$fault"
        began=$(now)
        if ! tried "$fault" 300000 --no-catalogue --random 40000 --abi 1.4; then
            echo "floor.sh: $fault is not found" >&2
            cat "$work/out" "$work/said" >&2
            exit 1
        fi
        if ! shows "$says" "$line"; then
            echo "floor.sh: $fault: expected a finding \"$says\" with \"$line\" in its program" >&2
            cat "$work/out" >&2
            exit 1
        fi
        echo "$fault: found in $(seconds $(($(now) - began)))"
    done <<<"$sampled"
}

# By itself: without random work. Random: by random work only. The catalogue: the rest.
all_faults() {
    local fault began spent all=0 random=0 work_or_rules=0 found=0 left=
    for fault in $(sed 's/ .*//' <<<"$sampled") $further; do
        local by=
        all=$((all + 1))
        model_with "$fault"
        began=$(now)
        if tried "$fault" 60000 --no-catalogue --random 10000000 --seconds 50; then
            grep -q 'first in session' "$work/out" && by=random || by=itself
            spent=$(($(now) - began))
            if [ "$by" = itself ]; then # at the top of the report, before random work
                began=$(now)
                tried "$fault" 60000 --no-catalogue --random 0
                spent=$(($(now) - began))
            fi
        else
            spent=$(($(now) - began))
            if [ "$spent" -lt 59000 ] && tried "$fault" $((60000 - spent)) --random 0 --inprocess "$inprocess"; then
                by=catalogue
            fi
            spent=$(($(now) - began))
        fi
        [ "$by" = random ] && random=$((random + 1))
        [ "$by" = random ] || [ "$by" = itself ] && work_or_rules=$((work_or_rules + 1))
        if [ -n "$by" ] && [ "$spent" -le 60000 ]; then
            found=$((found + 1))
            echo "$fault: found by $by in $(seconds "$spent")"
        else
            left="$left $fault"
            echo "$fault: not found in $(seconds "$spent")"
        fi
    done
    echo "random work alone finds $random of $all; with what a device shows by itself $work_or_rules; with the catalogue $found"
    [ -z "$left" ] || echo "not found:$left"
    [ "$all" -gt 50 ] && [ $((10 * random)) -ge $((9 * all)) ] && [ $((10 * found)) -ge $((9 * all)) ]
}

case $what in
self)
    same "$([ -n "$long" ] && echo 1000000 || echo 200000)" --device model --device model
    same "$([ -n "$long" ] && echo 1000000 || echo 50000)" --device "$board" --device "$board"
    same "$([ -n "$long" ] && echo 1000000 || echo 50000)" --device "$board" --device "$board" --as any
    ;;
choices)
    streams=$([ -n "$long" ] && echo 200000 || echo 4000)
    for other in "$board" model,pm=keeps,pcie=on,msi=1 model,msix=3 model,bar1=none model,bar0=64,bar1=64,pm=on model,vram=1048576 \
        model,abi=1.0 model,abi=1.2 model,abi=1.4-cursor-vblank model,abi=1.4-transfer model,abi=1.4-fence_page-error_info \
        model,abi=legacy; do
        for as in model any; do
            same "$streams" --device model --device "$other" --as $as
            # As given: the model does not take the shape of the other device.
            [ "$other" = model,abi=legacy ] ||
                same "$streams" --device model,msi=2,msix=2,pm=on --device "$other" --as $as --abi 1.4
        done
    done
    ;;
faults)
    if [ -n "$long" ]; then all_faults; else sample; fi
    ;;
*)
    echo "floor.sh: expected self, choices or faults" >&2
    exit 2
    ;;
esac
