/** Row of the file list, as the API returns it. */
export interface FileRow {
  readonly cid: string;
  /** Name of the pin, else the name given at the add, else empty. */
  readonly name: string;
  readonly mode: string;
  readonly createdAt: number;
  readonly bytes: number;
  /** Absent until the service has determined the kind. */
  readonly kind?: 'file' | 'folder';
}
