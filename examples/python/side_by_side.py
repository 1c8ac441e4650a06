#!/usr/bin/env python3
"""How much faster one program searches than another, told within half a percent on a machine whose speed changes by ten.

    python3 side_by_side.py [--rounds 6] [--depth 11] PROGRAM PROGRAM...
    python3 side_by_side.py "./old" "./new" "./new --set network.classical=0"

A PROGRAM is a command line of quarterply without its last arguments: `bench DEPTH --quiet` is added, and the line that begins `N nodes` is read. All programs are started together on one core, round after round, each round in another order: the
system hands the core from one to the next every few milliseconds, so that whatever slows the machine slows them all alike. What counts is the
processor time that each of them used, less what it takes to search to depth 1. Printed are the nodes of each program and how many it makes a second
for each one that the first program makes: the mean of the rounds and its standard error. Programs that search other trees are compared by their
nodes a second alone. Programs share the caches of the core, as they do not in play. Linux only; only the standard library is needed.
"""

import argparse
import math
import os
import re
import shlex
import statistics
import subprocess
import sys

NODES = re.compile(r"^(\d+) nodes\b")


class Run:
    """A bench that has been started on a core."""

    def __init__(self, program, depth, core):
        self.program = program
        try:
            command = shlex.split(program) + ["bench", str(depth), "--quiet"]
        except ValueError as error:
            raise SystemExit(f"{program}: {error}; close the quotation mark")
        pin = lambda: os.sched_setaffinity(0, {core})
        try:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=pin)
        except OSError as error:
            raise SystemExit(f"{program}: cannot be started: {error.strerror}; name the file of a program, `./quarterply` say")

    def end(self):
        """Waits for it: the nodes that it told, and the processor time that it took (s)."""
        text = self.process.stdout.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        lines = text.split("\n")
        told = [found for found in map(NODES.match, lines) if found]
        if self.process.returncode or not told:
            raise SystemExit(f"{self.program}: `bench` ended with code {self.process.returncode} and told no nodes; try it by hand")
        return int(told[-1].group(1)), usage.ru_utime


def start_time(program, core):
    """What a program takes to come to its first node (s): the least of some runs."""
    return min(Run(program, 1, core).end()[1] for _ in range(3))


def one_round(programs, depth, core):
    """The nodes and the processor time of each program, all at work together."""
    return [run.end() for run in [Run(program, depth, core) for program in programs]]


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", metavar="PROGRAM", nargs="+", help="a command line; the first is what the others are held against")
    parser.add_argument("--rounds", type=positive, default=6, help="how often (6)")
    parser.add_argument("--depth", type=positive, default=11, help="of the bench: seconds for each program are enough (11)")
    options = parser.parse_args()
    if not hasattr(os, "sched_setaffinity"):
        raise SystemExit("this system does not tie programs to a core: Linux does")
    programs = options.programs
    core = min(os.sched_getaffinity(0))
    begin = [start_time(program, core) for program in programs]
    nodes, logs = [0] * len(programs), [[] for _ in programs]
    for number in range(options.rounds):
        order = [(place + number) % len(programs) for place in range(len(programs))]
        speeds = [0.0] * len(programs)
        for place, (found, seconds) in zip(order, one_round([programs[place] for place in order], options.depth, core)):
            if seconds <= begin[place]:
                raise SystemExit(f"--depth {options.depth}: takes no longer than depth 1; give more")
            nodes[place], speeds[place] = found, found / (seconds - begin[place])
        for log, speed in zip(logs, speeds):
            log.append(math.log(speed / speeds[0]))
    print(f"{'nodes':>10}  nodes a second, for each of the first program's")
    for program, count, log in zip(programs, nodes, logs):
        error = statistics.stdev(log) / math.sqrt(len(log)) if len(log) > 1 else math.nan
        print(f"{count:>10}  {math.exp(statistics.mean(log)):.3f} ± {error:.3f}  {program}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
