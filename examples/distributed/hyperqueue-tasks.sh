#!/bin/bash
# The tasks of one run for HyperQueue, without NATS: hands over every task that lies in the folder, and looks again while the command runs.
#   quarterply match --player default --player new.toml --nodes 20000 --json test.jsonl --tasks /scratch/run &
#   examples/distributed/hyperqueue-tasks.sh /scratch/run $!
set -euo pipefail
run=${1:?the folder that --tasks named}
command=${2:?the process whose tasks they are: it ends with that}
program=$(command -v quarterply)
declare -A given
shopt -s nullglob
while sleep 2 && kill -0 "$command" 2>/dev/null; do
    for task in "$run"/tasks/*.json; do
        [ -z "${given[$task]:-}" ] || continue
        given[$task]=1
        hq submit --cpus=1 --stdout=none --stderr=none -- "$program" worker --task "$task"
    done
done
