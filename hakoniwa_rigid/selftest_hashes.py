"""What `hakoniwa-rigid selftest` has to find; made by ``hakoniwa-rigid selftest --show``."""
EXPECTED = {}
