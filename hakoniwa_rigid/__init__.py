"""hakoniwa_rigid: the collision layer beside a drone simulator.

``engine`` holds the numbers (no ROS, files or clocks), ``codec`` the bytes of messages, ``scene`` the drones, walls and
hands, ``replay`` and ``web`` what works on them without ROS, and ``ros`` the nodes.  Imports go downwards only: ros ->
scene -> codec -> engine.
"""
import os
from pkgutil import extend_path

from . import moved

# numba reads it when it is imported: no vector library of a vendor stands in for mathematics, where a machine has one
os.environ.setdefault('NUMBA_DISABLE_INTEL_SVML', '1')

# lets a source tree earlier on sys.path find the generated hakoniwa_rigid.msg
__path__ = extend_path(__path__, __name__)
__version__ = '0.1.0'
moved.install()
