/** Returns the CID in a text such as `ipfs://bafy…`, `/ipfs/bafy…/a.txt` or `https://gateway.example/ipfs/bafy…`. */
export function cidIn(text: string): string {
  const trimmed = text.trim();
  return (
    /(?:^ipfs:\/\/|(?:^|\/)ipfs\/)([A-Za-z0-9]+)/.exec(trimmed)?.[1] ??
    /^https?:\/\/([a-z0-9]+)\.ipfs\./.exec(trimmed)?.[1] ??
    trimmed
  );
}
