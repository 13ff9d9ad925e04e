/** Returns the host of an IP address. A host has all addresses of its IPv6 network of 64 bits. */
export function hostOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined || !ip.includes(':')) return mapped ?? ip;
  const [left = '', right] = ip.replace(/%.*/, '').toLowerCase().split('::');
  const [first, last] = [left, right ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = right === undefined ? 0 : Math.max(8 - first.length - last.length, 0);
  return [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4).join(':');
}
