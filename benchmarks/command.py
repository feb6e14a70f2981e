"""The command line of a benchmark: --help says what it measures, and measures nothing."""

import argparse


def parser(says: str, *switches: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=says, formatter_class=argparse.RawDescriptionHelpFormatter)
    for each in switches:
        made.add_argument(each, action="store_true")
    return made
