# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import importlib.util
import os
import pathlib
import signal

import pytest

import dpcurves

DESCENT = dict(noise=1, step_size=0.1, steps=30, paths=20000, seed=3)


def timeless(report):
    return {key: value for key, value in report.items() if key != "wall_seconds"}


@pytest.mark.parametrize("count", [1, 3, 7])
def test_merged_shards_are_the_report_of_one_process(count):
    whole = dpcurves.ask("simulate noisy-gd", **DESCENT)
    shards = [dpcurves.shard("simulate noisy-gd", index, count, **DESCENT) for index in range(count, 0, -1)]
    merged = dpcurves.merge(shards)
    assert timeless(merged) == timeless(whole)
    assert merged.text() == whole.text()
    assert merged.exit_code == whole.exit_code


def test_wrong_shards_are_refused():
    first, second = (dpcurves.shard("simulate noisy-gd", index, 2, **DESCENT) for index in (1, 2))
    with pytest.raises(dpcurves.DataError, match="1 of 2 shards are missing"):
        dpcurves.merge([first])
    with pytest.raises(dpcurves.DataError, match="give each shard once"):
        dpcurves.merge([first, first])
    with pytest.raises(dpcurves.DataError, match="damaged"):
        dpcurves.merge([first, second[:-1]])
    with pytest.raises(dpcurves.UsageError, match="3/2"):
        dpcurves.shard("simulate noisy-gd", 3, 2, **DESCENT)
    with pytest.raises(dpcurves.UsageError, match="nothing of this question"):
        dpcurves.shard("privacy gaussian", 1, 2, noise_multiplier=1, compositions=1, delta=1e-5)
    with pytest.raises(TypeError, match="dpcurves.shard computes one"):
        dpcurves.ask("simulate noisy-gd", shard="1/2")


def test_the_dask_example_with_a_worker_killed_on_the_way(tmp_path):
    distributed = pytest.importorskip("distributed")
    example = pathlib.Path(__file__).resolve().parents[3] / "data" / "examples" / "dask_shards.py"
    spec = importlib.util.spec_from_file_location("dask_shards", example)
    dask_shards = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dask_shards)
    question = dict(DESCENT, steps=1000)
    killed = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
    ) as cluster, distributed.Client(cluster) as client:
        workers = list(client.run(os.getpid).values())

        def kill_one(finished):
            if finished == 3:
                os.kill(workers[0], signal.SIGKILL)
                killed.append(workers[0])

        merged = dask_shards.on_cluster(client, "simulate noisy-gd", 16, kill_one, **question)
        assert killed and killed[0] not in client.run(os.getpid).values()
    whole = dpcurves.ask("simulate noisy-gd", **question)
    assert timeless(merged) == timeless(whole)
    assert merged.text() == whole.text()
