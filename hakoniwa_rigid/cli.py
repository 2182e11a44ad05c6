"""The ``hakoniwa-rigid`` command: ``demo``, ``check-world`` and ``warmup``.

Each sub-command imports what it needs when it runs, so that ``check-world`` works without ROS and ``--help`` is quick.
"""
from __future__ import annotations

import argparse
import sys
import time

from hakoniwa_rigid.ros import demo_options


def parser() -> argparse.ArgumentParser:
    """The command line; every sub-command sets ``run`` to its function."""
    top = argparse.ArgumentParser(prog='hakoniwa-rigid', description='The collision layer beside a drone simulator.')
    commands = top.add_subparsers(dest='command', required=True, metavar='COMMAND')

    what = 'six drones, walls, a table and a hand collide over ROS 2; bag, summary and picture'
    command = commands.add_parser('demo', help=what, description=what)
    demo_options.arguments(command)
    command.set_defaults(run=demo)

    what = 'read a world file and say what is in it, or what is wrong'
    command = commands.add_parser('check-world', help=what, description=what)
    command.add_argument('file', metavar='FILE', help='a YAML file, or the name of a world that comes with the package')
    command.set_defaults(run=check_world)

    what = 'compile every kernel of the engine, so that no node has to wait for it'
    command = commands.add_parser('warmup', help=what, description=what)
    command.set_defaults(run=warmup)
    return top


def demo(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid demo``: see hakoniwa_rigid.ros.demo."""
    try:
        from hakoniwa_rigid.ros.demo import run
    except ModuleNotFoundError as error:
        print(f"error: {error}; the demo needs ROS 2 and: pip install 'hakoniwa_rigid[demo]'", file=sys.stderr)
        return 1
    return run(options)


def check_world(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid check-world FILE``: 0 and a summary, or 1 and where the mistake is."""
    from hakoniwa_rigid.scene import world_file
    from hakoniwa_rigid.scene.errors import WorldFileError
    try:
        world = world_file.load(options.file)
    except (WorldFileError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    print(world.summary())
    return 0


def warmup(_options: argparse.Namespace) -> int:
    """``hakoniwa-rigid warmup``."""
    print('compiling the engine (once, up to a minute) ...', end=' ', flush=True)
    begun = time.perf_counter()
    from hakoniwa_rigid import scene
    scene.warmup()
    print(f'{time.perf_counter() - begun:.1f} s')
    return 0


def main(args: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    options = parser().parse_args(args)
    return options.run(options)


if __name__ == '__main__':
    sys.exit(main())
