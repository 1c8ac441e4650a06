#!/bin/bash
# The tasks of one run as array jobs of Slurm, without NATS. On the front end:
#   quarterply datagen --games 100000 --out data/far --tasks /scratch/run &
#   while sleep 60 && kill -0 $!; do RUN=/scratch/run sbatch --wait --array=0-99 examples/distributed/slurm-tasks.sh; done
# Job K of an array of N does every N-th task that lies there when it begins.
#SBATCH --job-name=quarterply
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=512M
#SBATCH --time=01:00:00
set -euo pipefail
: "${RUN:?the folder that --tasks named}"
shopt -s nullglob
tasks=("$RUN"/tasks/*.json)
for ((index = SLURM_ARRAY_TASK_ID; index < ${#tasks[@]}; index += SLURM_ARRAY_TASK_COUNT)); do
    task=${tasks[index]}
    [ -e "$RUN/outcomes/${task##*/}" ] || quarterply worker --task "$task" || true
done
