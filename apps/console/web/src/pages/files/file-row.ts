import { short } from '../../format.ts';

/** Row of the file list, as the API returns it. */
export interface FileRow {
  readonly cid: string;
  /** Name of the pin, else the name given at the add, else empty. */
  readonly name: string;
  readonly mode: string;
  readonly createdAt: number;
  readonly bytes: number;
  readonly blocks: number;
  /** Absent until the service has determined the kind. */
  readonly kind?: 'file' | 'folder';
}

export type FileOrder = 'createdAt' | 'name' | 'bytes';

/** Order of the list. */
export interface Sorting {
  readonly by: FileOrder;
  readonly isDescending: boolean;
}

/** Actions of a row. */
export interface RowActions {
  readonly onDetails: (row: FileRow) => void;
  readonly onShare: (row: FileRow) => void;
  readonly onRename: (row: FileRow) => void;
  readonly onUnpin: (row: FileRow) => void;
}

/** Chosen rows, by CID. */
export interface Choice {
  readonly cids: ReadonlySet<string>;
  readonly toggle: (cid: string) => void;
}

/** Name of a row. Default: its CID. */
export function titleOf({ name, cid }: Pick<FileRow, 'name' | 'cid'>): string {
  return name || short(cid);
}
