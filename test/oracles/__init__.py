"""Independent references the engine is judged against: plain numpy, scipy and MuJoCo, never the engine's own code."""
