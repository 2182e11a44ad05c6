"""What feeds a hand: recordings, MediaPipe landmarks seen by a camera, keyboard and mouse.

ROS-free, and free of engine and scene, as its parent; ros/hands/hand_bridge.py publishes what comes out of here.
"""
