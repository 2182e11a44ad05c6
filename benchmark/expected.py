"""benchmark/expected.json: what a step may cost, written by `python -m benchmark.check --write`.

`work`: scene -> counts of a step (see `work`).  `beside MuJoCo`: processor -> version of MuJoCo, and scene -> time of a
step over MuJoCo's.  Such a ratio says nothing about another processor, or beside another MuJoCo.
"""
import json
import re
from pathlib import Path

from . import report

FILE = Path(__file__).with_name('expected.json')
# what is measured may exceed what is written by this factor
ALLOWED = 1.2


def work():
    """scene -> counts of a step."""
    return json.loads(FILE.read_text())['work']


def ratios():
    """scene -> time of a step over MuJoCo's on this processor, or None where nobody has measured."""
    known = json.loads(FILE.read_text())['beside MuJoCo'].get(here(), {})
    return known['ratios'] if known.get('MuJoCo') == mujoco() else None


def write(counts, measured):
    """Counts anew, and the ratios of this processor; those of others stay."""
    beside = json.loads(FILE.read_text())['beside MuJoCo'] if FILE.exists() else {}
    beside[here()] = {'MuJoCo': mujoco(), 'ratios': _rounded(measured)}
    new = {'work': {case: _rounded(figures) for case, figures in counts.items()}, 'beside MuJoCo': beside}
    FILE.write_text(json.dumps(new, indent=1) + '\n')


def _rounded(figures):
    return {k: float(f'{v:.4g}') for k, v in figures.items()}


def worse(found, expected):
    """Names in `found` whose figure exceeds the one expected by more than is allowed."""
    return [name for name, figure in found.items() if not figure <= ALLOWED * expected[name] + 1e-9]


def here():
    """The processor of this machine.  Hypervisors hide its name, so family and model are part of it."""
    try:
        info = Path('/proc/cpuinfo').read_text()
    except OSError:
        info = ''
    numbers = re.findall(r'^(?:cpu family|model)\s*: (\d+)$', info, re.MULTILINE)[:2]
    return ' / '.join([report.processor(), *numbers])


def mujoco():
    """Its version, the last digits left out."""
    return '.'.join(report.version('mujoco').split('.')[:2])
