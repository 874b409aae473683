# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation of dpcurves on a Dask cluster: python dask_shards.py "simulate noisy-gd --noise 1 ..." --shards 16."""

import argparse
from typing import Any, Callable

import dask.distributed

import dpcurves


def on_cluster(
    client: dask.distributed.Client,
    question: str,
    shards: int,
    seen: Callable[[int], None] = lambda finished: None,
    **options: Any,
) -> dpcurves.Report:
    """The answer to a question whose shards the workers compute; ``seen`` is told how many are finished."""

    def compute(index: int) -> bytes:
        return dpcurves.shard(question, index, shards, threads=1, **options)

    tasks = [client.submit(compute, index, retries=3) for index in range(1, shards + 1)]
    finished = []
    for _, content in dask.distributed.as_completed(tasks, with_results=True):  # fetched before its worker can die
        finished.append(content)
        seen(len(finished))
    return dpcurves.merge(finished)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", help="a command line of dpcurves, without the word dpcurves")
    parser.add_argument("--shards", type=int, default=16, help="tasks; several per worker even out their times")
    parser.add_argument("--scheduler", help="address of the scheduler; default: workers on this machine")
    asked = parser.parse_args()
    with dask.distributed.Client(asked.scheduler) as client:
        print(on_cluster(client, asked.question, asked.shards))


if __name__ == "__main__":
    main()
