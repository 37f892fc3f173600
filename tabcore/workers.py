"""Processes that read logs beside this one: batches of jobs go in, chunks of rows come out.

Plain child processes that speak pickle over their pipes. `multiprocessing` would run the caller's main module again
in each child, and the caller may be a script without a guard, or a page of the dashboard.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO, cast

from tabcore.derivation import Job, read_chunks
from tabcore.errors import RunningTabError
from tabcore.lean import keep_small
from tabcore.store.records import Chunk


def read_elsewhere(batches: Sequence[list[Job]], workers: int) -> Iterator[list[Chunk]]:
    """What `workers` processes read, in the order in which they finish.

    A batch is begun only when an earlier one was taken, so no more wait than each has in hand.
    """
    children = [_start() for _ in range(workers)]
    free: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    for child in children:
        free.put(child)
    pool = ThreadPoolExecutor(workers)
    try:
        waiting: set[Future[list[Chunk]]] = set()
        for batch in batches:
            if len(waiting) > workers:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
            waiting.add(pool.submit(_ask, free, batch))
        while waiting:
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)
    finally:
        for child in children:
            _end(child)
        pool.shutdown(cancel_futures=True)


def serve(batches: BinaryIO, chunks: BinaryIO) -> None:
    """What a child does until its input ends."""
    while True:
        try:
            batch: list[Job] = pickle.load(batches)
        except EOFError:
            return
        pickle.dump(list(read_chunks(batch)), chunks, protocol=pickle.HIGHEST_PROTOCOL)
        chunks.flush()


def _start() -> subprocess.Popen[bytes]:
    room = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, (room, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )


def _ask(free: SimpleQueue[subprocess.Popen[bytes]], batch: list[Job]) -> list[Chunk]:
    child = free.get()
    try:
        given, taken = cast(BinaryIO, child.stdin), cast(BinaryIO, child.stdout)
        pickle.dump(batch, given, protocol=pickle.HIGHEST_PROTOCOL)
        given.flush()
        chunks: list[Chunk] = pickle.load(taken)
    except (EOFError, BrokenPipeError, pickle.UnpicklingError) as fault:
        remedy = "Load again: what was stored is kept"
        raise RunningTabError("load", f"a process that read {batch[0].place.path} was ended", remedy) from fault
    finally:
        free.put(child)
    return chunks


def _end(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            pipe.close()
    child.wait()


if __name__ == "__main__":
    output = sys.stdout.buffer
    sys.stdout = sys.stderr
    keep_small()
    serve(sys.stdin.buffer, output)
