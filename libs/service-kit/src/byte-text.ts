const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Prints a number of bytes with a binary unit (IEC 80000-13), such as `1.5 MiB`. */
export function byteText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
