"""A second chance for tests of real processes: `make test` runs this where tests have failed.

Nodes, browsers and their tests share two cores with other tests, and a process that is kept waiting for a second may
miss what a test waits for.  Where every test that failed is of that kind, their files run once more, one after the
other and with nothing beside them; all of them have to pass.  A test of anything else has no second chance.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

REAL = ('test/ros/', 'test/web/')   # folders


def main() -> int:
    """Exit status of `make test`."""
    files = sorted({name.partition('::')[0] for name in json.loads(Path(os.environ['FAILED_TESTS']).read_text())})
    if not files or not all(name.startswith(REAL) for name in files):
        return 1
    sys.stdout.write(f'once more, with nothing beside them: {", ".join(files)}\n')
    sys.stdout.flush()
    return subprocess.run([sys.executable, '-m', 'pytest', '-n', '0', *files], check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
