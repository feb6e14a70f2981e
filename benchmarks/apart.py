"""Processes beside a run, whose work is not that of those who are measured."""

import multiprocessing
import os
from multiprocessing.pool import Pool


def processes(count: int) -> Pool:
    """In groups of their own, which no Ctrl-C or SIGTERM to a whole run reaches: one that dies while it waits for
    something to do takes a lock along, for which whoever ends the pool would wait for ever."""
    return multiprocessing.get_context("spawn").Pool(count, initializer=os.setpgrp)
