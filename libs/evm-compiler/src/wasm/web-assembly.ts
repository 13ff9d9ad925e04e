/** A growable memory. Growing detaches `buffer` and replaces it. */
export interface LinearMemory {
  readonly buffer: ArrayBuffer;
  /** Grows by pages of 64 KiB. Returns the previous number of pages. @throws RangeError if there is no memory left */
  grow(pages: number): number;
}

type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The part of the WebAssembly JavaScript Interface in use. Node's types lack it, and those of the DOM bring all of the DOM. */
export const webAssembly = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => LinearMemory;
      readonly Module: new (bytes: Uint8Array) => object;
      readonly compile: (bytes: Uint8Array) => Promise<object>;
      readonly Instance: new (
        module: object,
        imports: Imports,
      ) => { readonly exports: Readonly<Record<string, unknown>> };
    };
  }
).WebAssembly;
