# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One run of a sweep: its arguments, and its row of the table.  Runs in a process of its own, here or elsewhere."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from tempfile import TemporaryDirectory

from hakoniwa_rigid import __version__
from hakoniwa_rigid.engine.maths.matrices import length
from hakoniwa_rigid.paths import own_world_file, world_file
from hakoniwa_rigid.replay.rerun.outcome import Options, Result
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.replay.sweep import world_values
from hakoniwa_rigid.scene import warmup
from hakoniwa_rigid.scene.parameters.param_file import GivenParameters, read_param_file
from hakoniwa_rigid.scene.parameters.presets import declare_node
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.read_settings import read_settings
from hakoniwa_rigid.scene.records import Kind
from hakoniwa_rigid.scene.world_files import world_writer

OK, NOT_RUN = 'ok', 'not run'
Row = dict[str, object]


@dataclass(frozen=True)
class Job:
    """``bag``, ``world`` and ``params`` as they were given in ``folder``; ``values`` by name, of the world and of the
    node; ``version`` of the package that asks."""

    bag: str
    values: Mapping[str, object]
    folder: str
    world: str | None = None
    params: str | None = None
    version: str = __version__


def run(job: Job) -> Row:
    """The row of a run, whatever happens: its cause is the status where it fails."""
    try:
        if job.version != __version__:
            raise ValueError(f'this worker has hakoniwa_rigid {__version__}, asked for is {job.version}')
        with TemporaryDirectory(prefix='hakoniwa_sweep_') as folder:
            return _run(job, Path(folder))
    except Exception as error:  # of any kind: a row is never lost, and the other runs go on
        return failed(job, _message(error, job))


def failed(job: Job, cause: str) -> Row:
    """The row of a run that gave nothing."""
    return {'bag': job.bag, **job.values, 'status': cause}


def prepare(_: object = None) -> None:
    """Compile what is not compiled yet, so that not every worker does."""
    warmup()


def served(job: Job) -> tuple[Settings, dict[str, object]]:
    """What the parameters ask for, with the values of the job among them, and all parameters by full names.  Raises
    SettingsError, WorldFileError, OSError."""
    given = _given(job)
    source = GivenParameters(given, str(job.params or 'parameters'))
    settings = read_settings(source, declare_node(source))
    source.check_unknown()
    return settings, source.values


def _run(job: Job, folder: Path) -> Row:
    of_world = {name: value for name, value in job.values.items() if world_values.is_of_world(name)}
    given = _given(job)
    if of_world:
        settings, _ = served(job)
        path = folder / world_file(settings.node['world']).name
        path.write_text(world_writer.write(world_values.changed(settings.world, of_world)), encoding='utf8')
        source, given['world'] = settings.world.source, str(path)
        try:
            return _row(job, replay(_options(job, given)))
        except ValueError as error:     # the user knows the file that was changed, not where the change lies
            raise ValueError(str(error).replace(str(path), f'{source} with values of the grid')) from error
    return _row(job, replay(_options(job, given)))


def _options(job: Job, given: Values) -> Options:
    params = str(Path(job.folder, job.params)) if job.params else None
    return Options(str(Path(job.folder, job.bag)), params=params, values=given, by_stamps=True)


def _given(job: Job) -> Values:
    """Parameters of the file and, above them, of the job; a world file is found from the folder of the asker."""
    given = read_param_file(Path(job.folder, job.params)) if job.params else {}
    if job.world is not None:
        given['world'] = job.world
    given |= {name: value for name, value in job.values.items() if not world_values.is_of_world(name)}
    if 'world' in given:
        given['world'] = str(own_world_file(str(given['world']), job.folder) or given['world'])
    return given


def _row(job: Job, result: Result) -> Row:
    begun = list(result.events.begun())
    impulses = [length(e.impulse) for e in begun]
    largest = max(range(len(begun)), key=impulses.__getitem__, default=None)
    row = {'bag': job.bag, **job.values, 'status': OK, 'ticks': result.ticks, 'contacts': len(begun)}
    row |= {contacts_of(kind): sum(e.kind == kind for e in begun) for kind in Kind}
    if begun:
        row |= {'first_contact_s': (begun[0].stamp_ns - result.start_ns) / 1e9}
        row |= {'largest_impulse_pair': f'{begun[largest].body_a} - {begun[largest].body_b}'}
    return row | {'largest_impulse': max(impulses, default=0.0), 'impulse_sum': fsum(impulses),
                  'received': result.received, 'refused': sum(result.refused.values()),
                  'state_hash': result.state_hash, 'notes': '; '.join(result.notes).replace(_place(job), job.bag),
                  'real_time_factor': result.span / result.elapsed if result.elapsed > 0.0 else None}


def contacts_of(kind: Kind) -> str:
    """The column of the contacts of a kind."""
    return f'contacts_{kind.name.lower()}'


def _place(job: Job) -> str:
    return str(Path(job.folder, job.bag))


def _message(error: Exception, job: Job) -> str:
    """One line, with the bag as it was given."""
    known = isinstance(error, (ValueError, OSError)) or type(error).__module__.startswith('hakoniwa_rigid')
    text = str(error) if known and str(error) else f'{type(error).__name__}: {error}'
    return ' '.join(text.replace(_place(job), job.bag).split())
