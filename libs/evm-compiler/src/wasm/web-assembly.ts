/** A growable memory; `buffer` is another one after it has grown. */
export interface LinearMemory {
  readonly buffer: ArrayBuffer;
  /** By pages of 64 KiB. Returns how many there were. @throws RangeError */
  grow(pages: number): number;
}

type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What is used of the WebAssembly JavaScript Interface: the types of Node have none of it, those of the DOM have too much. */
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
