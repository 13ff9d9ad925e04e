import { ByteWriter } from './byte-writer.ts';

export const i32 = 0x7f;
export const i64 = 0x7e;

/** Types of parameters and results: {@link i32}, {@link i64}. */
export interface FunctionType {
  readonly params: readonly number[];
  readonly results: readonly number[];
}

export interface FunctionImport {
  readonly name: string;
  readonly type: FunctionType;
}

export interface FunctionCode {
  /** Export name. */
  readonly name?: string;
  readonly type: FunctionType;
  /** Locals beside the parameters, as counts and types in order. */
  readonly locals: readonly (readonly [number, number])[];
  /** Instructions, with the final `end`. */
  readonly body: Uint8Array;
}

/**
 * A WebAssembly module that works on the memory `host.memory`. Functions of `imports` come first in the index space.
 * See the WebAssembly Core Specification, "Binary Format".
 */
export function encodeModule(
  imports: readonly FunctionImport[],
  functions: readonly FunctionCode[],
): Uint8Array<ArrayBuffer> {
  const module = new ByteWriter(1024);
  module.bytes(new Uint8Array([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]));
  const section = (id: number, write: (writer: ByteWriter) => void) => {
    const content = new ByteWriter(1024);
    write(content);
    module.u8(id);
    module.u32(content.length);
    module.bytes(content.done());
  };
  const types = [...imports, ...functions].map(({ type }) => type);
  section(1, (writer) => {
    writer.u32(types.length);
    for (const { params, results } of types) {
      writer.u8(0x60);
      writer.u32(params.length);
      for (const type of params) writer.u8(type);
      writer.u32(results.length);
      for (const type of results) writer.u8(type);
    }
  });
  section(2, (writer) => {
    writer.u32(imports.length + 1);
    writer.text('host');
    writer.text('memory');
    writer.u8(0x02);
    writer.u8(0x00);
    writer.u32(1);
    for (const [index, { name }] of imports.entries()) {
      writer.text('host');
      writer.text(name);
      writer.u8(0x00);
      writer.u32(index);
    }
  });
  section(3, (writer) => {
    writer.u32(functions.length);
    for (const [index] of functions.entries()) writer.u32(imports.length + index);
  });
  section(7, (writer) => {
    writer.u32(functions.filter(({ name }) => name !== undefined).length);
    for (const [index, { name }] of functions.entries()) {
      if (name === undefined) continue;
      writer.text(name);
      writer.u8(0x00);
      writer.u32(imports.length + index);
    }
  });
  section(10, (writer) => {
    writer.u32(functions.length);
    for (const { locals, body } of functions) {
      const code = new ByteWriter(body.length + 16);
      code.u32(locals.length);
      for (const [count, type] of locals) {
        code.u32(count);
        code.u8(type);
      }
      code.bytes(body);
      writer.u32(code.length);
      writer.bytes(code.done());
    }
  });
  return new Uint8Array(module.done());
}
