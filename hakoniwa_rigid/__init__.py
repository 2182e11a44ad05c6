"""hakoniwa_rigid: the collision layer beside a drone simulator.

``engine`` holds the numbers (no ROS, files or clocks), ``scene`` the drones, walls and hands, and ``ros`` the nodes.
Imports go downwards only: ros -> scene -> engine.
"""
from pkgutil import extend_path

# lets a source tree earlier on sys.path find the generated hakoniwa_rigid.msg
__path__ = extend_path(__path__, __name__)
__version__ = '0.1.0'
