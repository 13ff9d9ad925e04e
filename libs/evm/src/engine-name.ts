/**
 * - `compiled`: hot code runs as WebAssembly, the rest is interpreted. On Node only.
 * - `interpreter`: all code is interpreted.
 *
 * Messages with a tracer run step by step in both, with geth's prices and faults.
 */
export type EngineName = 'compiled' | 'interpreter';
