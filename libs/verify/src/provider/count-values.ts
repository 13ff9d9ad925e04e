/**
 * Upper bound of the number of values in JSON text: its commas and opening brackets, also those in strings. Text that consists of brackets
 * takes seconds to parse, and much memory.
 */
export function countValues(json: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === comma || byte === brace || byte === bracket) count++;
  }
  return count;
}

const [comma, brace, bracket] = [0x2c, 0x7b, 0x5b];
