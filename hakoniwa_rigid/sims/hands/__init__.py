"""What feeds a hand: recordings, MediaPipe landmarks seen by a camera, keyboard and mouse.

Not here: ROS, engine and scene, as in its parent; ros/hands/hand_bridge.py publishes what comes out of here.
"""
