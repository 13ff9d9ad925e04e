/** The part of hash-wasm that computes Keccak. The whole package takes 4 MiB more in each thread. */
declare module 'hash-wasm/dist/keccak.umd.min.js' {
  import type { createKeccak } from 'hash-wasm';

  // Node does not recognize the named exports of minified CommonJS.
  const keccak: { readonly createKeccak: typeof createKeccak };
  export default keccak;
}
