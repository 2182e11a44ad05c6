"""The ROS 2 edge: nodes, conversions and adapters. The only folder that imports rclpy and message packages.

Nodes here are thin: they validate, convert and hand on to ``scene``. No physics lives here.
"""
