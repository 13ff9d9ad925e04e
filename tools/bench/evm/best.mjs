/** The fastest of some runs, as many as take a while: what runs in V8 is still becoming faster. */
export async function best(count, run, msMin = 0) {
  const times = [];
  let result;
  const begun = performance.now();
  for (let n = 0; n < count || performance.now() - begun < msMin; n++) {
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
  }
  return { ms: Math.min(...times), first: times[0], result };
}
