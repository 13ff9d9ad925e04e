/** Tests of the suite that are not run, each with its reason, by suite. */
export const exceptions = { root: [], block: [], dag: [], pin: [], files: [], repo: [], miscellaneous: [], object: [] };
