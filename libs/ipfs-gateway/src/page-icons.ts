import { type CID, codecs } from '@cairn/cid';

/** Shapes of the icons, within 24 by 24 units. Emoji would need a font that not every system has. */
const shapes = {
  up: 'M12 20V5m-6 6 6-6 6 6',
  directory: 'M3 6h6l2 2h10v11H3z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  image: 'M4 5h16v14H4zm0 11 5-5 4 4 3-3 4 4',
  video: 'M4 5h16v14H4zm6 4v6l5-3z',
  audio: 'M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zm10-2a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z',
  archive: 'M6 3h12v18H6zm5 0v2m2 2v2m-2 2v2m2 2v2',
} as const;

type Icon = keyof typeof shapes;

const kinds: readonly (readonly [pattern: RegExp, icon: Icon])[] = [
  [/\.(?:png|jpe?g|gif|webp|svg|avif|bmp|ico)$/i, 'image'],
  [/\.(?:mp4|webm|mov|mkv|avi)$/i, 'video'],
  [/\.(?:mp3|ogg|wav|flac|m4a)$/i, 'audio'],
  [/\.(?:zip|gz|tar|7z|zst|xz|car)$/i, 'archive'],
  [/\.[^.]+$/, 'file'],
];

/** Definitions of the icons, once in a page. */
export const iconSymbols = `<svg width="0" height="0" aria-hidden="true" style="position:absolute">${Object.entries(
  shapes,
)
  .map(([name, path]) => `<symbol id="${name}" viewBox="0 0 24 24"><path d="${path}"/></symbol>`)
  .join('')}</svg>`;

/** Formats an icon. It repeats the name beside it, so that screen readers skip it. */
export function iconOf(name: Icon): string {
  return `<svg class="i" aria-hidden="true"><use href="#${name}"/></svg>`;
}

/** Icon of an entry by its name, without reading it. Without an extension it is a directory, unless its block is a raw leaf. */
export function iconOfEntry(name: string, { code }: CID): string {
  const icon = kinds.find(([pattern]) => pattern.test(name))?.[1];
  return iconOf(icon ?? (code === codecs.raw ? 'file' : 'directory'));
}
