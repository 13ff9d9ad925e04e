const rowBytes = 16;

/** Prints bytes as `hexdump -C` and Go's hex.Dump do: offset, two groups of eight bytes, and text. */
export function hexDump(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += rowBytes) {
    const row = [...bytes.subarray(at, at + rowBytes)];
    const cells = Array.from({ length: rowBytes }, (_, index) => row[index]?.toString(16).padStart(2, '0') ?? '  ');
    const hex = `${cells.slice(0, 8).join(' ')}  ${cells.slice(8).join(' ')}`;
    const printed = row.map((byte) => (byte < 32 || byte > 126 ? '.' : String.fromCharCode(byte))).join('');
    text += `${at.toString(16).padStart(8, '0')}  ${hex}  |${printed}|\n`;
  }
  return text;
}
