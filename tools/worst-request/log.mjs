/** Minimum pino severity of a failure of the service. */
const errorLevel = 50;
/** Maximum number of kept lines; older ones are dropped. */
const linesMax = 20_000;

/** Collects the log of a service, one JSON object per line. */
export function createLog() {
  const entries = [];
  let dropped = 0;
  let rest = '';
  const since = (mark) => entries.slice(Math.max(0, mark - dropped));
  return {
    onOutput(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        const entry = parse(line);
        if (entry !== undefined) entries.push(entry);
      }
      if (entries.length > linesMax) dropped += entries.splice(0, entries.length - linesMax).length;
    },
    /** Position in the log, an argument of the other functions. */
    mark: () => dropped + entries.length,
    since,
    /** Failures that the service logged as its own. */
    errorsSince: (mark) => since(mark).filter(({ level }) => level >= errorLevel),
  };
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    // Warnings of Node and stack traces are not JSON; they are failures of the service too.
    return line.trim() === '' ? undefined : { level: errorLevel, msg: line };
  }
}
