#!/bin/bash
# The tasks of one run as array jobs of Slurm, without NATS. On the front end:
#   quarterply datagen --games 100000 --out data/far --tasks /scratch/run &
#   while sleep 60 && kill -0 $!; do RUN=/scratch/run sbatch --wait --array=0-99 examples/distributed/slurm-tasks.sh; done
# Each job of an array of N jobs executes every N-th task in the folder. The array may begin at any number and have steps.
#SBATCH --job-name=quarterply
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=512M
#SBATCH --time=01:00:00
set -euo pipefail
: "${RUN:?give the folder of --tasks}"
: "${SLURM_ARRAY_TASK_ID:?submit this script with sbatch --array=0-N}"
shopt -s nullglob
tasks=("$RUN"/tasks/*.json)
first=$(((SLURM_ARRAY_TASK_ID - ${SLURM_ARRAY_TASK_MIN:-0}) / ${SLURM_ARRAY_TASK_STEP:-1}))
for ((index = first; index < ${#tasks[@]}; index += SLURM_ARRAY_TASK_COUNT)); do
    task=${tasks[index]}
    [ -e "$RUN/outcomes/${task##*/}" ] || quarterply worker --task "$task" || true
done
