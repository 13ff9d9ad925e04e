/** URL of a file, or of a folder as tar archive. `path` is relative to the CID. */
export function addressOf(
  { cid, name, path = '' }: { readonly cid: string; readonly name: string; readonly path?: string },
  how: 'open' | 'download' | 'archive' = 'open',
): string {
  const query = new URLSearchParams({
    name: shortened(name),
    ...(path !== '' && { path }),
    ...(how !== 'open' && { [how]: '' }),
  });
  return `/api/files/${cid}?${query}`;
}

/** Cuts a name to 255 characters, the limit of the API, and keeps the extension, by which browsers choose the type. */
function shortened(name: string): string {
  return name.length <= 255 ? name : name.slice(-255);
}
