"""`hakoniwa-rigid import`: tables of trajectories to bags.

Not here: bag files (replay/bag), bytes of messages (codec/motion_packer.py).
"""
