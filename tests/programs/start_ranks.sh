#!/bin/bash
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# start_ranks.sh NUMBER PROGRAM WORD...: starts processes with the variables that torchrun gives them, and treats them as
# torchrun does, which need not be installed: standard input is shared, and when one fails the others get a SIGTERM. The
# store is rank 0's.
size=$1
shift
export WORLD_SIZE=$size LOCAL_WORLD_SIZE=$size MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 12000))
ranks=()
for ((rank = 0; rank < size; ++rank)); do
    RANK=$rank LOCAL_RANK=$rank "$@" <&0 &
    ranks[$!]=$rank
done
terminate() { kill -TERM "${!ranks[@]}" 2>/dev/null; }
trap terminate TERM
failed=0
while [ ${#ranks[@]} -gt 0 ]; do
    sleep 0.05
    for process in "${!ranks[@]}"; do
        kill -0 "$process" 2>/dev/null && continue
        wait "$process"
        status=$?
        if [ $status -ne 0 ] && [ $failed -eq 0 ]; then
            failed=1
            [ $status -gt 128 ] && status=$((128 - status))
            echo "failed (exitcode: $status) local_rank: ${ranks[process]} (pid: $process) of binary: $1" >&2
            unset "ranks[process]"
            terminate
        fi
        unset "ranks[process]"
    done
done
exit $failed
