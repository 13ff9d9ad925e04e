/** Maximum length of one trace in characters. Clients parse a trace as a whole. */
export const traceCharactersMax = 64 * 1024 * 1024;
/** Maximum number of calls in a trace of one transaction. */
export const framesMax = 500_000;
