/** Time of the schedule; tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back after a time. The returned function cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
