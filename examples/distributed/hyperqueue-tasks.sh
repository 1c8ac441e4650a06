#!/bin/bash
# The tasks of one run for HyperQueue, without NATS: submits each task in the folder, and checks for new ones while the command runs.
#   quarterply match --player default --player new.toml --nodes 20000 --json test.jsonl --tasks /scratch/run &
#   examples/distributed/hyperqueue-tasks.sh /scratch/run $!
set -euo pipefail
run=${1:?give the folder of --tasks}
command=${2:?give the process of the command: this script ends with it}
program=$(command -v quarterply) || {
    echo 'hyperqueue-tasks.sh: cannot find quarterply: not in PATH; add its folder to PATH' >&2
    exit 1
}
declare -A given
shopt -s nullglob
while sleep 2 && kill -0 "$command" 2>/dev/null; do
    for task in "$run"/tasks/*.json; do
        [ -z "${given[$task]:-}" ] || continue
        given[$task]=1
        hq submit --cpus=1 --stdout=none --stderr=none -- "$program" worker --task "$task"
    done
done
