import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Parses `10GiB`, `500MB` or a number of bytes; `none` returns undefined. @throws InvalidArgumentError */
export function parseBytes(text: string): number | undefined {
  if (text === 'none') return undefined;
  const [, count = '', unit = ''] = /^(\d{1,16}(?:\.\d{1,3})?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const bytes = Math.round(Number(count) * (units[unit.toLowerCase()] ?? Number.NaN));
  if (count === '' || !Number.isSafeInteger(bytes))
    throw new InvalidArgumentError(
      `"${text.slice(0, 40)}" is not a size: expected 10GiB, 500MB, a number of bytes, or none.`,
    );
  return bytes;
}
