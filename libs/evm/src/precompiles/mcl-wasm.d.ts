/** The WebAssembly of mcl without its JavaScript interface: each call creates an instance. Pointers and lengths are numbers. */
declare module 'mcl-wasm/dist/mcl_c.js' {
  export type MclFunction = (...args: number[]) => number;
  export interface MclModule {
    readonly wasmMemory: { readonly buffer: ArrayBuffer };
    readonly [name: `_${string}`]: MclFunction;
  }
  export default function createModule(options: {
    readonly cryptoGetRandomValues: (bytes: Uint8Array) => void;
  }): Promise<MclModule>;
}
