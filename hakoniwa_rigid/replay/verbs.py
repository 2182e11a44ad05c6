# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The options of the sub-commands that look into bags and make them; apart, so that ``--help`` is quick."""
from __future__ import annotations

import argparse
from pathlib import Path


def inspect_arguments(command: argparse.ArgumentParser) -> None:
    """Of ``hakoniwa-rigid inspect``."""
    command.add_argument('bag', type=Path, metavar='BAG', help='a rosbag2 folder, or a file .mcap or .db3')
    command.add_argument('--world', metavar='WORLD', help='take the models of the drones from this world file; without '
                         'it every drone has the model of --model')
    command.add_argument('--model', default='api-1', metavar='NAME', help='model of drones; default api-1')
    command.add_argument('--near', type=float, default=0.25, metavar='M',
                         help='a near miss: closer than this, m between surfaces; default 0.25')
    command.add_argument('--json', type=Path, metavar='FILE', help='write everything as one JSON object')
    command.add_argument('--out', type=Path, metavar='PNG', help='the picture; default: <name of BAG>_tracks.png, here')


def recover_arguments(command: argparse.ArgumentParser) -> None:
    """Of ``hakoniwa-rigid recover``."""
    command.add_argument('bag', type=Path, metavar='BAG', help='what is left of it: FLIGHT.crashed, .FLIGHT.PID.part, '
                         'or a bag that is cut off')
    command.add_argument('-o', '--out', type=Path, metavar='OUT', help='the bag: a folder, or FILE.mcap; default: '
                         'FLIGHT_recovered beside BAG')


def import_arguments(command: argparse.ArgumentParser) -> None:
    """Of ``hakoniwa-rigid import``."""
    command.add_argument('files', type=Path, nargs='+', metavar='CSV', help='one file per drone: '
                         "t,x,y,z,qx,qy,qz,qw[,vx,vy,vz,wx,wy,wz], Hakoniwa's drone_dynamics.csv, EuRoC or TUM")
    command.add_argument('-o', '--out', type=Path, required=True, metavar='OUT', help='the bag: a folder, or FILE.mcap')
    command.add_argument('--name', action='append', default=[], metavar='NAME',
                         help='name of a drone, once for each file; default: the name of its file, or of the folder of '
                         'a drone_dynamics.csv')
    command.add_argument('--axes', choices=('enu', 'ned'), default='enu',
                         help='of the tables: enu as in ROS (default), or ned with a forward-right-down body; '
                         'drone_dynamics.csv is known to be ned')
    command.add_argument('--to', choices=('enu', 'nwu'), help='what ned becomes: enu, or nwu as in the ROS topics of '
                         'Hakoniwa (default for drone_dynamics.csv)')
    command.add_argument('--frame', default='world', metavar='ID', help='frame_id of the messages; default world')


def replay_arguments(command: argparse.ArgumentParser) -> None:
    """Of ``hakoniwa-rigid replay``."""
    command.add_argument('bag', type=Path, metavar='IN', help='a rosbag2 folder, or a file .mcap or .db3')
    command.add_argument('-o', '--out', type=Path, metavar='OUT', help='the bag: a folder, or FILE.mcap; not needed '
                         'with --golden')
    command.add_argument('--world', metavar='WORLD', help='a world file, or the name of one here or of a shipped one; '
                         'outranks the parameter world')
    command.add_argument('--params', type=Path, metavar='FILE', help='parameters of the collision node (YAML)')
    command.add_argument('--rate', type=float, metavar='HZ', help='ticks a second; outranks the parameter rate')
    command.add_argument('--from', type=float, dest='first', metavar='S', help='s since the beginning of the bag')
    command.add_argument('--to', type=float, dest='last', metavar='S', help='the same')
    command.add_argument('--by-stamps', action='store_true', help='replay a recording of the node like any other bag, '
                         'not call by call as its journal says')
    command.add_argument('--namespace', default='/', metavar='NS', help='of relative topic names; default /')
    command.add_argument('--map', action='append', default=[], metavar='TOPIC:=OTHER', help='take OTHER of the bag for '
                         'TOPIC of the node; may be given again; for outputs too')
    command.add_argument('--states', choices=('fleet', 'drone', 'both'), default='fleet', help='corrected states as '
                         'one FleetState (default), as an Odometry per drone, or both')
    command.add_argument('--no-input', action='store_true', help='do not copy the inputs into OUT')
    command.add_argument('--golden', type=Path, metavar='FILE', help='compare with this golden file or bag: it is '
                         'expected, what the replay gives is actual')
    command.add_argument('--tol', type=Path, metavar='FILE', help='tolerances of that (YAML); see docs/golden.md')
    command.add_argument('--report', type=Path, metavar='HTML', help='the report of that as one HTML page, pictures '
                         'included')
    command.add_argument('--junit', type=Path, metavar='FILE', help='the report of that as JUnit XML')
    command.add_argument('--picture', type=Path, metavar='PNG', help='tracks and contacts; default: none')
