"""Speed, side by side with MuJoCo in the same run: `make bench`. Scenes here, figures at the end of the run; no test of
correctness and no bound on wall time."""
