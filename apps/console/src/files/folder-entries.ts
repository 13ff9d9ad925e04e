import { createInterface } from 'node:readline';
import type { UpstreamAnswer } from '../upstream.ts';
import type { FileKind } from './file-kinds.ts';

/** Most entries of one folder on a page. */
const entriesMax = 1000;
/** Type number of directories in answers of `ls`. */
const directoryType = 1;

interface FolderEntry {
  readonly name: string;
  readonly cid: string;
  readonly bytes: number;
  readonly kind: FileKind;
}

interface LsLine {
  readonly Objects: readonly {
    readonly Links: readonly {
      readonly Name: string;
      readonly Hash: string;
      readonly Size: number;
      readonly Type: number;
    }[];
  }[];
}

/** The first entries of a streamed answer of `ls`: folders first, then by name. Further lines are not read. */
export async function readEntries({
  body,
}: UpstreamAnswer): Promise<{ readonly entries: readonly FolderEntry[]; readonly isCut: boolean }> {
  const entries: FolderEntry[] = [];
  let isCut = false;
  for await (const line of createInterface({ input: body })) {
    const { Objects } = JSON.parse(line) as LsLine;
    for (const { Name, Hash, Size, Type } of Objects[0]?.Links ?? [])
      entries.push({ name: Name, cid: Hash, bytes: Size, kind: Type === directoryType ? 'folder' : 'file' });
    isCut = entries.length > entriesMax;
    if (isCut) break;
  }
  body.destroy();
  entries.length = Math.min(entries.length, entriesMax);
  return { entries: entries.sort(byKindAndName), isCut };
}

function byKindAndName(one: FolderEntry, other: FolderEntry): number {
  if (one.kind !== other.kind) return one.kind === 'folder' ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}
