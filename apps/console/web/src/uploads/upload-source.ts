/** One file of an upload, with its path below the root. */
export interface SourceFile {
  readonly path: string;
  readonly file: File;
}

/** Content of one pin: a file, or a folder with its tree. */
export interface UploadSource {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  /** Ordered by path. Paths of a folder start with its name. */
  readonly files: readonly SourceFile[];
  /** Paths of empty folders. */
  readonly emptyFolders: readonly string[];
  readonly bytes: number;
}

/** Most files and empty folders of one folder, bounded by the request size of a browser. */
const entriesMax = 50_000;
/** Files that desktop systems create in folders. They are left out. */
const leftOut: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

/** Upload sources of a drop event. Must be called within the event, since the browser clears its data afterwards. */
export function readDropped(transfer: DataTransfer): Promise<UploadSource[]> {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
    .filter((entry) => entry !== null);
  return Promise.all(entries.map((entry) => (entry instanceof File ? sourceOfFile(entry) : sourceOfEntry(entry))));
}

/** Upload sources of a file or folder input. */
export function readChosen(files: FileList): UploadSource[] {
  const roots = new Map<string, SourceFile[]>();
  const sources: UploadSource[] = [];
  for (const file of files) {
    const path = file.webkitRelativePath;
    if (path === '') sources.push(sourceOfFile(file));
    else if (!leftOut.has(file.name)) {
      const root = path.slice(0, path.indexOf('/'));
      const inside = roots.get(root) ?? [];
      inside.push({ path, file });
      roots.set(root, inside);
    }
  }
  for (const [root, inside] of roots) {
    if (inside.length > entriesMax) throw tooMany(root);
    sources.push(sourceOfFolder(root, inside, []));
  }
  return sources;
}

function sourceOfFile(file: File): UploadSource {
  return { name: file.name, kind: 'file', files: [{ path: file.name, file }], emptyFolders: [], bytes: file.size };
}

function sourceOfFolder(name: string, files: SourceFile[], emptyFolders: readonly string[]): UploadSource {
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  return { name, kind: 'folder', files, emptyFolders, bytes };
}

async function sourceOfEntry(entry: FileSystemEntry): Promise<UploadSource> {
  if (isFile(entry)) return sourceOfFile(await fileOf(entry));
  const files: SourceFile[] = [];
  const emptyFolders: string[] = [];
  // Iterative, since folders may be nested deeply.
  const folders = [{ path: entry.name, folder: entry as FileSystemDirectoryEntry }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { path, folder } = next;
    const inside = await entriesOf(folder);
    if (inside.length === 0) emptyFolders.push(path);
    for (const one of inside) {
      const below = `${path}/${one.name}`;
      if (isFile(one)) {
        if (!leftOut.has(one.name)) files.push({ path: below, file: await fileOf(one) });
      } else folders.push({ path: below, folder: one as FileSystemDirectoryEntry });
    }
    if (files.length + emptyFolders.length > entriesMax) throw tooMany(entry.name);
  }
  return sourceOfFolder(entry.name, files, emptyFolders);
}

function tooMany(name: string): Error {
  return new Error(
    `The folder ${JSON.stringify(name)} has more than ${entriesMax} files. Add its subfolders separately, or use the API.`,
  );
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** All entries of a folder. Browsers return up to 100 per call and an empty list at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  while (true) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
    if (found.length > entriesMax) return found;
  }
}
