"""What the scene hears: topics as bytes in, checked for frames and time, given to the scene in one call for all drones.

Node and replay drive the same Intake, each with its own way of getting at the bytes.  No ROS here.
"""
