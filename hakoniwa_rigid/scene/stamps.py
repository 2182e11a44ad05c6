"""Stamps of input streams: newest wins, late ones are refused, a source that began anew is let in again."""
from __future__ import annotations

import numpy as np

from .records import Verdict
from .world_types import SceneParams

NS = 1_000_000_000

OK, RESTARTED, BACKWARDS, REPEATED, STALE = range(5)
VERDICTS = (Verdict.ACCEPTED, Verdict.RESTARTED, Verdict.STAMP_BACKWARDS, Verdict.STAMP_REPEATED, Verdict.STALE)


class StampGate:
    """Judges the stamps of n streams.

    A stamp older than the stream's newest is refused.  A source that restarted keeps sending such stamps, in order:
    after `restart_samples` of them in a row (`reorder_samples` when the jump back is below `restart_bound`, as late
    packets can be) the stream starts anew.  One newer sample in between clears the suspicion.
    """

    def __init__(self, n: int, params: SceneParams):
        self.params = params
        self.known = np.zeros(n, dtype=bool)
        self.newest = np.zeros(n, dtype=np.int64)
        self.back_stamp = np.zeros(n, dtype=np.int64)
        self.back_count = np.zeros(n, dtype=np.int64)

    def judge(self, rows: np.ndarray, stamps: np.ndarray, now_ns: int | None) -> np.ndarray:
        """Codes (K,) of OK ... STALE for stamps (K,) ns of streams rows (K,); now_ns is the scene's time.  Taken
        stamps become the newest of their stream."""
        p = self.params
        newest, known = self.newest[rows], self.known[rows]
        back = known & (stamps < newest)
        in_order = back & (self.back_count[rows] > 0) & (stamps > self.back_stamp[rows])
        count = np.where(in_order, self.back_count[rows] + 1, np.where(back, 1, 0))
        far = newest - stamps > int(p.restart_bound * NS)
        restarted = back & (count >= np.where(far, p.restart_samples, p.reorder_samples))
        codes = np.where(restarted, RESTARTED, np.where(back, BACKWARDS, OK))
        codes[known & (stamps == newest)] = REPEATED
        if now_ns is not None:
            codes[(now_ns - stamps > int(p.stale_timeout * NS)) & (codes <= RESTARTED)] = STALE
        self.back_count[rows] = np.where(codes == RESTARTED, 0, count)
        self.back_stamp[rows] = stamps
        taken = codes <= RESTARTED
        self.newest[rows[taken]] = stamps[taken]
        self.known[rows[taken]] = True
        return codes

    def forget(self, rows=slice(None)) -> None:
        """The next sample of these streams is a first one."""
        self.known[rows] = False
        self.back_count[rows] = 0
