/**
 * - `compiled`: hot code becomes WebAssembly, the rest is interpreted. On Node only.
 * - `interpreter`: everything is interpreted.
 * - `ethereumjs`: @ethereumjs/evm, the reference. The other two leave more gas than a double counts to it.
 *
 * Messages with a tracer run step by step in the other two, with geth's prices and faults.
 */
export type EngineName = 'compiled' | 'interpreter' | 'ethereumjs';
