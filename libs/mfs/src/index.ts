export { changeMode, type ModeChange, parseModeChange } from './change-mode.ts';
export { adoptDag, move, remove, unlinkFile } from './copy-move.ts';
export {
  DirectoryRemovalError,
  EntryExistsError,
  FileNotFoundError,
  InvalidTreePathError,
  NotADirectoryPathError,
  NotAFilePathError,
  TreeBusyError,
  TreeChangeError,
  UnderstatedDagError,
} from './errors.ts';
export {
  FileTree,
  namingFrom,
  type PutOptions,
  type ShardingOptions,
  type TreeBlocks,
} from './file-tree.ts';
export { filesFormat, openLmdbRootStore } from './lmdb-root-store.ts';
export { Mfs, type MfsOptions, type TreeWriteSession } from './mfs.ts';
export type { RootStore, SwapConditions, TreeRoot } from './root-store.ts';
export { childPath, parseTreePath, splitPath, type TreePath } from './tree-path.ts';
export {
  type Content,
  type FileNaming,
  receiveContent,
  touch,
  type WriteFileOptions,
  writeFile,
} from './write-file.ts';
