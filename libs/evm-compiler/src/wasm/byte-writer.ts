/** Growing buffer of bytes. Numbers are written as LEB128, the encoding of WebAssembly. */
export class ByteWriter {
  #bytes: Uint8Array;
  length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  u8(byte: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = byte;
  }

  u32(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.u8(rest);
  }

  s32(value: number): void {
    let rest = value | 0;
    for (;;) {
      const byte = rest & 0x7f;
      rest >>= 7;
      if ((rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0)) {
        this.u8(byte);
        return;
      }
      this.u8(byte | 0x80);
    }
  }

  /** @param value any integer; its low 64 bits are written */
  s64(value: bigint): void {
    let rest = BigInt.asIntN(64, value);
    for (;;) {
      const byte = Number(rest & 0x7fn);
      rest >>= 7n;
      if ((rest === 0n && (byte & 0x40) === 0) || (rest === -1n && (byte & 0x40) !== 0)) {
        this.u8(byte);
        return;
      }
      this.u8(byte | 0x80);
    }
  }

  bytes(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  text(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.u32(bytes.length);
    this.bytes(bytes);
  }

  /** View of the written bytes, valid until the next write. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(by: number): void {
    const grown = new Uint8Array(Math.max(this.length + by, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
  }
}
