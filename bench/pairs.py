"""Pairs of runs that share a processor.

Both start on it together, and the kernel gives it to each for a few milliseconds at a time: what else the
machine does slows both alike, so that their ratio is exact to a percent where the times themselves change
by a quarter within minutes. The times are of the processor, without those of others.
"""
import os
import random
import statistics
from concurrent.futures import ThreadPoolExecutor


def sharing(runs, one, other):
    """What `one` and `other` return, in pairs: two lists. They start processes and wait for them. On a
    second processor there is a pair at the same time, so there are twice as many."""
    processors = sorted(os.sched_getaffinity(0))[:2]

    def pinned(once, processor):
        os.sched_setaffinity(0, {processor})  # of this thread, and of what it starts
        return once()

    found = [], []
    with ThreadPoolExecutor(2 * len(processors)) as pool:
        for _ in range(runs):
            jobs = [[pool.submit(pinned, once, processor) for once in (one, other)]
                    for processor in processors]
            for pair in jobs:
                for kept, job in zip(found, pair):
                    kept.append(job.result())
    return found


def percents(one, other):
    """Percent that the other takes longer, of each pair."""
    return [100 * (b / a - 1) for a, b in zip(one, other)]


def middle_of(programs):
    """The mean of the programs' medians, of the percents of each: one slow run says nothing."""
    return statistics.mean(statistics.median(pairs) for pairs in programs)


def upper_end(programs):
    """Of its 95 % interval, by bootstrap of the pairs of each program."""
    draw = random.Random(1)
    drawn = sorted(middle_of([draw.choices(pairs, k=len(pairs)) for pairs in programs])
                   for _ in range(2000))
    return drawn[int(0.975 * len(drawn))]


def until_narrow(runs, one, other, narrow=1, most=64):
    """As sharing(), with more runs while the upper end is more than `narrow` percent above the median, until
    there are `most` pairs: some programs take other times in each process, by which loop's code is there
    first, and by how well the processor predicts branches at its addresses."""
    found = [], []
    while len(found[0]) < most:
        for kept, more in zip(found, sharing(runs, one, other)):
            kept.extend(more)
        pairs = percents(*found)
        if upper_end([pairs]) - statistics.median(pairs) <= narrow:
            break
    return found
