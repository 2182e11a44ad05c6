"""`python test/fuzz`: the folder is called `test`, as a package of Python itself is, so it cannot be run by -m."""
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:1] = [str(TESTS.parent), str(TESTS)]

if __name__ == '__main__':
    from fuzz.runner import main
    sys.exit(main())
