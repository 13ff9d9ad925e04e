/** Characters of one trace at most: clients parse it in one piece. */
export const traceCharactersMax = 64 * 1024 * 1024;
