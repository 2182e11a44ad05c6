# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Import paths of release 0.1.0 whose modules lie elsewhere now: they work for one more release, with a warning.

A name of a module that is now a room (scene.drones, scene.hands, scene.events, ros.demo) means the room.
"""
from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

PACKAGE = __name__.rpartition('.')[0]
# old package, new package, modules; `a>b`: under another name
_ROOMS = (
    ('engine', 'engine.contact', 'contact_time>force_profile events>log surface>material'),
    ('engine', 'engine.integrate', 'contacts'),
    ('engine', 'engine.maths', 'direct'),
    ('engine', 'engine.model', 'handle'),
    ('engine', 'engine.world', 'ask>query_kernels runner'),
    ('engine', '', 'bilateral>smooth_motion'),
    ('engine.bilateral', 'smooth_motion', 'bodies body_kernels custom floor_kernels floors layout motion rows run '
                                          'schemes search touch transitions'),
    ('engine.detect', 'engine.contact', 'row_geometry>effective_mass'),
    ('engine.detect', 'engine.model', 'convex'),
    ('engine.detect', 'engine.motion', 'crowding>states'),
    ('engine.detect', 'engine.detect', 'near>contact_pairs contact_rows>contact_points parting_plane>separating_plane '
                                       'slabs>separating_axis ways_out>penetration_directions survey>motion_bounds '
                                       'regions>clipping'),
    ('engine.integrate', 'engine.motion', 'bodies limits rotation schemes'),
    ('engine.maths', 'engine.maths', 'once>jit'),
    ('engine.shapes', 'engine', 'definitions>shapes'),
    ('engine.mass', 'engine.mass', 'surface>mesh_topology primitives>uniform'),
    ('engine.model', 'engine.model', 'surfaces>materials'),
    ('engine.model', 'engine.maths', 'turns>quat'),
    ('engine.model', 'engine.world', 'builder checkpoint motion_view questions>queries resizing views world'),
    ('engine.solve', 'engine.contact', 'coulomb frame profiles>pending_impulses'),
    ('scene', '', 'addresses>array_table rotations rigid>rotations'),
    ('scene.intake', 'codec', 'cdr cdr_writers mail>message_batch numbers>message_fields odometry_kernel>state_kernel '
                              'plain_kernel>fast_path_kernel fixed_kernel>fixed_layout_kernel'),
    ('scene', 'scene.world_files', 'world_types world_file world_writer yaml_node mass_file material_file shape_file '
                                   'shape_words mesh_file'),
    ('scene', 'scene.drones', 'authority pilot>stepper rotors tick_kernels input_kernels rows motion stamps '
                              'fleet_table'),
    ('scene', 'scene.observed_drones', 'impacts impact_kernels responses response_kernels'),
    ('scene', 'scene.hands', 'hand_set hand_layouts hand_tracking handedness hand_kernels hand_box_kernels '
                             'tracking_kernels hand_coupling'),
    ('scene', 'scene.events', 'contact merging merge_kernel observed_contacts response_reports'),
    ('scene', 'scene.offline', 'simulation simulation_picture simulation_report mass_picture mass_report outlines'),
    ('scene', 'scene.frames', 'frame_tree'),
    ('scene', 'scene.inputs', 'clock_offset'),
    ('scene.intake', 'scene', 'read_settings'),
    ('scene.intake', 'scene.parameters', 'params param_file presets settings'),
    ('scene.intake', 'scene.frames', 'axes frames geodesy'),
    ('scene.intake', 'scene.inputs', 'intake>input_adapter feeding batches failures fleets limits motors sources topic '
                                     'hand_inputs hand_samples plain>fast_path plain_fleets>fast_fleets '
                                     'fixed>fixed_layouts'),
    ('scene', 'scene', 'intake>inputs'),
    ('ros', 'ros.collision', 'collision_node diagnostics drone_reports guard inlets>polled_subscriptions markers '
                             'publishers recorder services sim_messages sim_outputs subscriptions tf_topics watch'),
    ('ros', 'ros.viewer', 'viewer_node viewer_params viewer_rotors viewer_topics'),
    ('ros', 'ros.hands', 'hand_bridge hand_files hand_params'),
    ('ros', 'ros.demo', 'demo_options demo_page demo_picture demo_report bag_recorder'),
    ('ros', 'ros.bench', 'bench_load bench_machine bench_node bench_options'),
    ('ros', 'ros.simulators', 'simulator_node correction_adapter hover drone_sim'),
    ('ros', 'ros.launch', 'launch_arguments launch_files'),
    ('replay', 'codec', 'packer>motion_packer'),
    ('replay', 'replay.bag', 'reader writer folder storage merge codecs>compression types qos sqlite_file feed '
                             'hand_bag'),
    ('replay', 'replay.bag.mcap', 'mcap_blocks>blocks mcap_file>file mcap_kernel>kernel mcap_records>records '
                                  'mcap_scan>scan mcap_summary>summary mcap_writer>writer'),
    ('replay', 'replay.rerun', 'command run staging hearing>bag_input gather outcome outputs event_log summary picture '
                               'journal recording provenance'),
    ('replay', 'replay.csv_import', 'csv_table axes'),
)


# names that a package gave, and the package that gives them now
_NAMES = {'engine': ('smooth_motion', 'CustomFloor CylinderFloor MovingFloor ParaboloidFloor PlaneFloor SineFloor '
                                      'SmoothBody SphereFloor SurfaceMotion contact_point multiplier')}


def _full(package: str, name: str) -> str:
    return '.'.join(part for part in (PACKAGE, package, name) if part)


# old path: new path
MOVED = {_full(old, a): _full(new, b or a)
         for old, new, names in _ROOMS for a, _, b in (name.partition('>') for name in names.split())}


class _OldPath(Loader):
    """Gives the module of the new path under the old one."""

    def __init__(self, new: str) -> None:
        self._new = new

    def create_module(self, spec):
        module = import_module(self._new)
        self._spec = module.__spec__
        return module

    def exec_module(self, module) -> None:
        module.__spec__ = self._spec    # the import system has put that of the old path there

    def get_code(self, _name: str):
        """For ``python -m``."""
        return find_spec(self._new).loader.get_code(self._new)


class _Finder:
    @staticmethod
    def find_spec(name, _path=None, _target=None):
        """The import system asks this of every module."""
        if name not in MOVED:
            return None
        warnings.warn(f'{name} is now {MOVED[name]}', DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, _OldPath(MOVED[name]))


def old_names(package: str):
    """The __getattr__ of a package that gave names which another gives now: they come from there, with a warning."""
    new, names = _NAMES[package.removeprefix(f'{PACKAGE}.')]

    def find(name: str):
        if name not in names.split():
            raise AttributeError(f'module {package!r} has no attribute {name!r}')
        warnings.warn(f'{package}.{name} is now {PACKAGE}.{new}.{name}', DeprecationWarning, stacklevel=2)
        return getattr(import_module(f'{PACKAGE}.{new}'), name)
    return find


def install() -> None:
    """Make the old paths known; once is enough."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
