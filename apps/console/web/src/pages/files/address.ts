/** Address of the bytes of a file, or of a folder as an archive. `path` is below the CID. */
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

/** The console takes names of 255 characters; the extension tells a browser what it gets. */
function shortened(name: string): string {
  return name.length <= 255 ? name : name.slice(-255);
}
