"""Runs the tests, and prints which were left out and the number that passed."""

import pathlib
import sys
import unittest

suite = unittest.defaultTestLoader.discover(str(pathlib.Path(__file__).parent))
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
for test, reason in result.skipped:
    print(f"WARNING: {test} is LEFT OUT: {reason}")
failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
print(f"# pass {result.testsRun - failed - len(result.skipped)}")
sys.exit(1 if failed or not result.testsRun else 0)
