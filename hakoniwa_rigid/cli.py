# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The ``hakoniwa-rigid`` command: ``demo``, ``check-world``, ``simulate``, ``mass``, ``inspect``, ``import``, ``hand``,
``replay``, ``page``, ``sweep``, ``diff``, ``bench``, ``policy``, ``certificate``, ``selftest`` and ``warmup``.

Each sub-command imports what it needs when it runs, so that ``check-world`` works without ROS and ``--help`` is quick.
"""
from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from hakoniwa_rigid.replay import verbs
from hakoniwa_rigid.replay.diff import options as diff_options
from hakoniwa_rigid.replay.picture_file import NO_MATPLOTLIB
from hakoniwa_rigid.replay.sweep import options as sweep_options
from hakoniwa_rigid.ros.bench import bench_options
from hakoniwa_rigid.ros.demo import demo_options
from hakoniwa_rigid.sims.hands import options as hand_options
from hakoniwa_rigid.static_page import options as page_options

LONGEST = 1e5   # s that simulate runs
BROKEN_PIPE = 128 + 13   # the exit code of a program that SIGPIPE ends
# the last line of each command's help
EXAMPLES = {
    'demo': 'demo --duration 10',
    'check-world': 'check-world my_room.yaml',
    'simulate': 'simulate gym --duration 3 --csv gym.csv',
    'mass': 'mass airframe.stl --mass 0.71 --scale 0.001',
    'inspect': 'inspect flight.mcap --world my_room.yaml',
    'recover': 'recover flight.mcap -o whole.mcap',
    'import': 'import d0.csv d1.csv -o flight',
    'hand': 'hand session.mcap --hand right -o right.npz',
    'replay': 'replay flight.mcap --world my_room.yaml --golden golden.yaml --report report.html',
    'page': 'page flight.mcap -o flight_page',
    'sweep': 'sweep flight.mcap --grid restitution=0.2:0.8:4 --world my_room.yaml -o table.csv',
    'diff': 'diff golden.yaml replayed --report report.html --junit diff.xml',
    'bench': 'bench node --drones 20',
    'bench node': 'bench node --drones 20 --rate 200',
    'bench soak': 'bench soak --hours 2 -o soak',
    'bench page': 'bench page --pushes 200 --hostile 16',
    'policy': 'policy /collision_node -o policy.xml',
    'certificate': 'certificate localhost 192.168.0.10 -o keys',
    'selftest': 'selftest',
    'warmup': 'warmup',
}


def parser() -> argparse.ArgumentParser:
    """The command line; every sub-command sets ``run`` to its function."""
    top = argparse.ArgumentParser(prog='hakoniwa-rigid', description='The collision layer beside a drone simulator.')
    commands = top.add_subparsers(dest='command', required=True, metavar='COMMAND')

    what = 'six drones, walls, a table and a hand collide over ROS 2; bag, summary and picture'
    command = commands.add_parser('demo', help=what, description=what)
    demo_options.arguments(command)
    command.set_defaults(run=elsewhere('ros.demo.demo', "ROS 2 and: pip install 'hakoniwa_rigid[demo]'", 1))

    what = 'read a world file and say what is in it, or what is wrong'
    command = commands.add_parser('check-world', help=what, description=what)
    command.add_argument('file', metavar='FILE', help='a YAML file, or the name of one here or of a shipped one')
    command.set_defaults(run=check_world)

    what = 'run the bodies of a world file without a simulator: summary, picture, table of states'
    command = commands.add_parser('simulate', help=what, description=what + '.  Drones are free bodies with their '
                                  'motors off, hands take no part.')
    command.add_argument('file', metavar='WORLD', help='a YAML file, or the name of one here or of a shipped one')
    command.add_argument('--duration', type=seconds, default=5.0, metavar='S', help='s of the world; default 5')
    command.add_argument('--out', type=Path, metavar='PNG', help='the picture; default: <name of the world>.png, here')
    command.add_argument('--csv', type=Path, metavar='FILE', help='write the states, 100 a second')
    command.set_defaults(run=simulate)

    what = 'mass, centre of mass, inertia and principal axes of a closed mesh (stl, obj, ply, glb), with a picture'
    command = commands.add_parser('mass', help=what, description=what)
    command.add_argument('file', type=Path, metavar='FILE')
    amount = command.add_mutually_exclusive_group()
    amount.add_argument('--density', type=float, metavar='D', help='kg/m^3; 1000 if neither density nor mass is given')
    amount.add_argument('--mass', type=float, metavar='M', help='kg')
    command.add_argument('--scale', type=float, default=1.0, metavar='S', help='metres per unit of FILE: 0.001 for mm')
    command.add_argument('--json', action='store_true', help='print one JSON object, SI units, and nothing else')
    command.add_argument('--out', type=Path, metavar='PNG', help='the picture; default: <name of FILE>_mass.png, here')
    command.set_defaults(run=mass)

    what = 'what is in a bag: topics, rates, gaps, clocks, frames, drones, and how near they came to each other'
    command = commands.add_parser('inspect', help=what, description=what + '.  Exit code: 0, 1 with warnings, 2 '
                                  'unreadable.')
    verbs.inspect_arguments(command)
    command.set_defaults(run=inspect_bag)

    what = 'a whole bag of one that was cut off: by kill -9, a power cut or a full disk'
    command = commands.add_parser('recover', help=what, description=what + '.  Exit code: 0, 2 where nothing can be '
                                  'read.')
    verbs.recover_arguments(command)
    command.set_defaults(run=elsewhere('replay.bag.recover', 'rosbags', 2))

    what = 'make a bag of tables of trajectories (CSV), one per drone'
    command = commands.add_parser('import', help=what, description=what)
    verbs.import_arguments(command)
    command.set_defaults(run=import_tables)

    what = 'what is in a recorded hand, and the same in another format: .npz, MediaPipe landmarks, bag'
    command = commands.add_parser('hand', help=what, description=what)
    hand_options.arguments(command)
    command.set_defaults(run=elsewhere('ros.hands.hand_files', 'rosbags', 1))

    what = 'a bag through a world: corrected states and contacts as the node gives them, faster than real time'
    command = commands.add_parser('replay', help=what, description=what + '.  Exit code: 0, 1 where --golden differs, '
                                  '2 for what cannot be replayed.')
    verbs.replay_arguments(command)
    command.set_defaults(run=elsewhere('replay.rerun.command', 'rosbags', 2))

    command = commands.add_parser('page', help='a recording as a folder that any browser plays, without a server',
                                  description=page_options.DESCRIPTION)
    page_options.arguments(command)
    command.set_defaults(run=elsewhere('static_page.command', 'rosbags', 2))

    command = commands.add_parser('sweep', help='bags through a world with every combination of a grid of values; a '
                                  'table', description=sweep_options.DESCRIPTION)
    sweep_options.arguments(command)
    command.set_defaults(run=elsewhere('replay.sweep.command', "pip install 'hakoniwa_rigid[sweep]'", 2))

    command = commands.add_parser('diff', help='compare the contacts and trajectories of two runs, with a verdict',
                                  description=diff_options.DESCRIPTION)
    diff_options.arguments(command)
    command.set_defaults(run=elsewhere('replay.diff.command', 'rosbags', 2))

    what = 'speed and punctuality of the collision node, over DDS, between processes'
    command = commands.add_parser('bench', help=what, description=what)
    kinds = command.add_subparsers(dest='kind', required=True, metavar='WHAT')
    what = 'processor, latency, regularity and losses under a load of N drones; a table'
    command = kinds.add_parser('node', help=what, description=what)
    bench_options.node_arguments(command)
    command.set_defaults(run=elsewhere('ros.bench.bench_node', 'ROS 2', 1))
    what = 'hours of everything at once: memory, handles, latency, missed ticks by cause over time, with verdicts'
    command = kinds.add_parser('soak', help=what, description=what)
    bench_options.soak_arguments(command)
    command.set_defaults(run=elsewhere('ros.bench.bench_node', 'ROS 2', 1))
    what = 'how soon a push is in the page, and how soon it answers an honest client while others flood it'
    command = kinds.add_parser('page', help=what, description=what)
    bench_options.page_arguments(command)
    command.set_defaults(run=elsewhere('ros.bench.bench_node', 'ROS 2', 1))

    what = 'what the nodes that run in this ROS domain use, as a policy of SROS2'
    command = commands.add_parser('policy', help=what, description=what + '; see docs/security.md.  Exit code: 0, 1 '
                                  'where a node is not there.')
    command.add_argument('node', nargs='*', metavar='NODE', help='full names, as /collision_node (default: all)')
    command.add_argument('-o', '--out', type=Path, metavar='FILE', help='where it goes (default: the terminal)')
    command.add_argument('--seconds', type=seconds, default=5.0, metavar='S',
                         help='how long to look; use all that is to be used meanwhile, the page too (5)')
    command.set_defaults(run=elsewhere('ros.security.policy_command', 'ROS 2', 1))

    what = 'a self-signed certificate and its key, so that the page can come by https to other machines'
    command = commands.add_parser('certificate', help=what, description=what + '; see docs/web.md.')
    command.add_argument('hosts', nargs='+', metavar='HOST', help='names and addresses that reach this machine')
    command.add_argument('-o', '--out', type=Path, default=Path('.'), metavar='DIR',
                         help='where certificate.pem and key.pem go (default: here)')
    command.set_defaults(run=certificate)

    what = 'whether engine and scene give the same bits here as elsewhere'
    command = commands.add_parser('selftest', help=what, description=what + '.  Exit code: 0, 1 where a bit differs.')
    command.add_argument('--show', action='store_true',
                         help='print what was found as hakoniwa_rigid/selftest_hashes.py has it')
    command.set_defaults(run=selftest)

    what = 'compile every kernel of the engine, so that no node has to wait for it'
    command = commands.add_parser('warmup', help=what, description=what)
    command.set_defaults(run=warmup)
    of_bench = {f'bench {name}': kind for name, kind in kinds.choices.items()}
    for name, command in {**commands.choices, **of_bench}.items():
        command.epilog = f'Example: hakoniwa-rigid {EXAMPLES[name]}'
    return top


def seconds(text: str) -> float:
    """A duration, s, above 0."""
    value = float(text)
    if not 0.0 < value <= LONGEST:
        raise argparse.ArgumentTypeError(f'must be > 0 and at most {LONGEST:g} s, got {text}')
    return value


def elsewhere(module: str, needs: str, failure: int) -> Callable[[argparse.Namespace], int]:
    """The function ``run`` of a module of this package, or after a word about what the module needs the exit code
    ``failure``."""
    def run(options: argparse.Namespace) -> int:
        try:
            command = import_module(f'hakoniwa_rigid.{module}')
        except ModuleNotFoundError as error:
            print(f'error: {error}; {options.command} needs {needs}', file=sys.stderr)
            return failure
        return command.run(options)
    return run


def check_world(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid check-world FILE``: 0 and a summary, or 1 and where the mistake is."""
    from hakoniwa_rigid.scene.errors import WorldFileError
    from hakoniwa_rigid.scene.world_files import world_file
    try:
        world = world_file.load(options.file)
        if world.constraints:   # where their bodies are is for the engine
            from hakoniwa_rigid.scene.bodies import build
            build(world)
    except (WorldFileError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    print(world.summary())
    return 0


def simulate(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid simulate WORLD``: 0 and what happened, or 1 and what is wrong."""
    from tqdm import tqdm

    from hakoniwa_rigid.engine import EngineError
    from hakoniwa_rigid.scene.errors import WorldFileError
    from hakoniwa_rigid.scene.offline import simulation, simulation_report
    from hakoniwa_rigid.scene.world_files import world_file
    try:
        world = world_file.load(options.file)
        # disable=None: only where a person watches
        with tqdm(total=options.duration, unit='s', desc=world.name, disable=None,
                  bar_format='{desc}: {percentage:3.0f}% |{bar}| {n:.2f} of {total:g} s') as bar:
            run = simulation.run(world, options.duration, progress=bar.update)
    except (WorldFileError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    except EngineError as error:
        print(f'error: {options.file}: {error}', file=sys.stderr)
        return 1
    print(simulation_report.as_text(run))
    return simulation_files(run, options.csv, options.out or Path(f'{world.name}.png'))


def simulation_files(run, table: Path | None, picture: Path) -> int:
    """Writes the files of a run; exit code."""
    from hakoniwa_rigid.scene.offline import simulation_picture, simulation_report
    code = 0
    if table:
        try:
            simulation_report.write_csv(run, table)
            print(f'states: {table}')
        except OSError as error:
            print(f'error: {table}: states not written: {error}', file=sys.stderr)
            code = 1
    try:
        simulation_picture.draw(run, picture, run.config.name)
        print(f'picture: {picture}')
    except ImportError:
        print(NO_MATPLOTLIB, file=sys.stderr)
    except (OSError, ValueError) as error:
        print(f'error: {picture}: picture not written: {error}', file=sys.stderr)
        code = 1
    return code


def mass(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid mass FILE``: 0 and the numbers, or 1 and what is wrong with the mesh."""
    from hakoniwa_rigid.engine import EngineError
    from hakoniwa_rigid.scene.offline import mass_report
    from hakoniwa_rigid.scene.world_files import mesh_file
    try:
        mesh = mesh_file.load_mesh(options.file, options.scale)
        weighed = mass_report.weigh(options.file, mesh, options.density, options.mass)
    except (EngineError, OSError) as error:
        where = '' if str(error).startswith(str(options.file)) else f'{options.file}: '
        print(f'error: {where}{error}', file=sys.stderr)
        return 1
    picture = options.out or Path(f'{weighed.path.stem}_mass.png')
    drawn, code = mass_picture(weighed, picture)
    if options.json:
        print(mass_report.as_json(weighed, str(picture) if drawn else None))
    else:
        print(mass_report.as_text(weighed))
        if drawn:
            fewer = '' if drawn == len(mesh.faces) else f' ({drawn} triangles drawn; the numbers are of all of them)'
            print(f'\npicture: {picture}{fewer}')
    return code


def mass_picture(weighed, path: Path) -> tuple[int, int]:
    """(triangles drawn, 0 for no picture; exit code): without matplotlib the numbers are still good."""
    from hakoniwa_rigid.scene.offline import mass_picture
    try:
        return mass_picture.draw(weighed.mesh, weighed.properties, path, weighed.path.name), 0
    except ImportError:
        print(NO_MATPLOTLIB, file=sys.stderr)
        return 0, 0
    except (OSError, ValueError) as error:  # no such folder, no permission; a suffix that matplotlib does not know
        print(f'error: {path}: picture not written: {error}', file=sys.stderr)
        return 0, 1


def inspect_bag(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid inspect BAG``: 0, 1 where there is something to warn about, 2 where it cannot be read."""
    from hakoniwa_rigid.replay.errors import BagError
    from hakoniwa_rigid.replay.inspection import report
    from hakoniwa_rigid.replay.inspection.run import inspect, models_of
    from hakoniwa_rigid.scene.errors import WorldFileError
    try:
        found = inspect(options.bag, *models_of(options.world, options.model), options.near)
    except (BagError, WorldFileError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('\nerror: interrupted', file=sys.stderr)
        return 2
    print(report.as_text(found))
    return inspection_files(found, options.json, options.out or Path(f'{options.bag.resolve().stem}_tracks.png'))


def inspection_files(found, table: Path | None, picture: Path) -> int:
    """Writes the files of an inspection; exit code."""
    from hakoniwa_rigid.replay.inspection import picture as drawing
    from hakoniwa_rigid.replay.inspection import report
    code = 1 if found.warnings else 0
    try:
        if table:
            table.write_text(report.as_json(found), encoding='utf8')
            print(f'json: {table}')
        if found.drones:
            drawing.draw(found, picture)
            print(f'picture: {picture}')
    except ImportError:
        print(NO_MATPLOTLIB, file=sys.stderr)
    except (OSError, ValueError) as error:
        print(f'error: {error}: not written', file=sys.stderr)
        code = 2
    return code


def import_tables(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid import CSV... -o OUT``: 0 and what was read, or 1 and which value of which line is wrong."""
    from hakoniwa_rigid.replay.csv_import import csv_import
    from hakoniwa_rigid.replay.errors import BagError
    how = csv_import.Options(tuple(options.name), options.axes, options.to, options.frame)
    try:
        imported, warnings = csv_import.run(options.files, options.out, how)
    except BagError as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f'\nerror: interrupted: {options.out} not written', file=sys.stderr)
        return 1
    for text in warnings:
        print(f'warning: {text}', file=sys.stderr)
    print(csv_import.as_text(imported))
    print(f'bag: {options.out}')
    return 0


def certificate(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid certificate HOST...``: 0 and where the files are, or 1 and what is wrong."""
    from hakoniwa_rigid.web.certificate import make_certificate
    from hakoniwa_rigid.web.errors import WebError
    try:
        paths = make_certificate(options.out, options.hosts)
    except (WebError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    print(f'certificate: {paths[0]}\nkey: {paths[1]}')
    return 0


def selftest(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid selftest``."""
    from hakoniwa_rigid import kernel_cache, progress, scene
    from hakoniwa_rigid import selftest as test
    what = kernel_cache.what_is_missing()
    with progress.reporting(lambda text: print(text, file=sys.stderr, flush=True), what), progress.shown(what=what):
        scene.warmup()
    hashes, begun = {}, time.perf_counter()
    for name, part in test.PARTS.items():
        found, expected = test.digest(part), test.EXPECTED.get(name)
        hashes[name] = found
        if not options.show:
            print(f'{name:28s} {found}  {"as expected" if found == expected else f"expected {expected}"}', flush=True)
    if options.show:
        print(test.as_tables(hashes))
        return 0
    print(f'{"all":28s} {test.total(hashes)}  {time.perf_counter() - begun:.1f} s')
    wrong = [name for name, found in hashes.items() if found != test.EXPECTED.get(name)]
    if wrong:
        print(f'error: other bits than elsewhere, first in: {wrong[0]} ({len(wrong)} of {len(hashes)} parts differ); '
              f'see docs/determinism.md', file=sys.stderr)
    return 1 if wrong else 0


def warmup(_options: argparse.Namespace) -> int:
    """``hakoniwa-rigid warmup``."""
    begun = time.perf_counter()
    from hakoniwa_rigid import kernel_cache, progress, scene
    from hakoniwa_rigid.replay.bag.mcap import kernel as mcap_kernel
    from hakoniwa_rigid.ros import bulk
    what = kernel_cache.what_is_missing()
    # a terminal has a line of its own
    plain = not sys.stderr.isatty()
    with progress.reporting(lambda text: print(text, flush=True) if plain else None, what), progress.shown(what=what):
        scene.warmup()
        mcap_kernel.warm_up()
        bulk.warm_up()
    print(f'all kernels are ready: {time.perf_counter() - begun:.1f} s')
    return 0


def main(args: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    options = parser().parse_args(args)
    try:
        return options.run(options)
    except BrokenPipeError:     # `| head` has seen enough; Python must not write to it at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


if __name__ == '__main__':
    sys.exit(main())
