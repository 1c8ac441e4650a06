#!/bin/bash
# The tasks of one run for HyperQueue, without NATS: hands over every task that lies in the folder, and looks again.
#   quarterply match --player default --player new.toml --nodes 20000 --json test.jsonl --tasks /scratch/run &
#   examples/distributed/hyperqueue-tasks.sh /scratch/run
set -euo pipefail
run=${1:?the folder that --tasks named}
declare -A given
shopt -s nullglob
while sleep 2; do
    for task in "$run"/tasks/*.json; do
        [ -z "${given[$task]:-}" ] || continue
        given[$task]=1
        hq submit --cpus=1 --stdout=none --stderr=none quarterply worker --task "$task"
    done
done
