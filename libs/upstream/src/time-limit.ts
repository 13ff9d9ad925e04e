/** Delay of a timer in milliseconds above which the process, not the upstream, was slow. */
const lateMs = 50;

/**
 * Runs `work` after `ms` milliseconds. A process that was busy has answers that it has not read yet, and its timers run first:
 * a timer that is late waits once more, for as long as it was late and at most `ms`. Returns a function that cancels.
 */
export function afterTimeLimit(ms: number, work: () => void): () => void {
  const due = performance.now() + ms;
  let timer = setTimeout(() => {
    const late = performance.now() - due;
    if (late < lateMs) work();
    else timer = setTimeout(work, Math.min(late, ms));
  }, ms);
  return () => clearTimeout(timer);
}
