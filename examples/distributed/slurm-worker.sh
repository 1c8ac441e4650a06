#!/bin/bash
# Workers as an array job of Slurm, which reach the NATS server from the nodes:
#   NATS_URL=nats://192.0.2.7:4222 sbatch --array=1-20 examples/distributed/slurm-worker.sh
#SBATCH --job-name=quarterply
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=512M
#SBATCH --time=08:00:00
# Slurm sends the signal two minutes before the end, and the worker finishes its tasks.
#SBATCH --signal=TERM@120
set -euo pipefail
: "${NATS_URL:?give the address of the NATS server}"
exec srun quarterply worker --workers "$SLURM_CPUS_PER_TASK" --hours 7.9 --max-memory "$((512 * SLURM_CPUS_PER_TASK))"
