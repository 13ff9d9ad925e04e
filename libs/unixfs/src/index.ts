export type { NamingOptions } from './block-batch-writer.ts';
export { type CatOptions, catFile, catNode, depthMax } from './cat-file.ts';
export { chunkBytesMax, defaultChunkBytes, parseChunker } from './chunker.ts';
export { collapseFile } from './collapse-file.ts';
export { type ContentPath, parsePath } from './content-path.ts';
export { createChunker } from './create-chunker.ts';
export { decodePbNode, encodePbNode, type PbLink, type PbNode, readPbNode, writePbNode } from './dag-pb.ts';
export { addLink, type EditOptions, removeLink } from './edit-directory.ts';
export { editFile, type FileEditOptions, gapBytesMax } from './edit-file.ts';
export {
  InvalidNodeError,
  InvalidOptionError,
  InvalidPathError,
  LinkNotFoundError,
  NotADirectoryError,
  NotAFileError,
  RefusedOptionError,
} from './errors.ts';
export { createFileBlock } from './file-block.ts';
export { findEntry } from './find-entry.ts';
export { type DirectoryOptions, directoryBytesMax, importDirectory } from './import-directory.ts';
export { type ImportOptions, type ImportResult, importFile } from './import-file.ts';
export { importSymlink, symlinkTargetBytesMax } from './import-symlink.ts';
export { type ImportedEntry, importTree, type TreeEntry, type TreeOptions, treeLimits } from './import-tree.ts';
export { listDirectory } from './list-directory.ts';
export { decodeNode, readNode, type UnixfsNode } from './node.ts';
export { PbReader } from './pb-reader.ts';
export { isProfileName, type Profile, type ProfileName, profiles } from './profiles.ts';
export { resolvePath } from './resolve-path.ts';
export { rewriteNode } from './rewrite-node.ts';
export { type NodeStat, statNode } from './stat-node.ts';
export {
  decodeUnixfsData,
  encodeUnixfsData,
  type UnixfsData,
  type UnixfsMetadata,
  type UnixfsTime,
  type UnixfsType,
  unixfsTypes,
} from './unixfs-data.ts';
