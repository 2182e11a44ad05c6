"""Bags (rosbag2: mcap and sqlite3): reading, writing, looking into them, making them from tables.

No ROS here, no graph and no clock: what a bag says depends on its bytes alone. Message definitions come from the bag
itself (``types``). Why the records of mcap are read and written here and not by a library: docs/adr/0009-bags.md.
"""
