export { type CatOptions, catFile, catNode, depthMax } from './cat-file.ts';
export { chunkBytesMax, defaultChunkBytes, parseChunker } from './chunker.ts';
export { decodePbNode, encodePbNode, type PbLink, type PbNode } from './dag-pb.ts';
export { InvalidNodeError, InvalidOptionError, InvalidPathError, LinkNotFoundError, NotAFileError } from './errors.ts';
export { directoryBytesMax, importDirectory } from './import-directory.ts';
export { type ImportOptions, type ImportResult, importFile } from './import-file.ts';
export { decodeNode, readNode, type UnixfsNode } from './node.ts';
export { type ContentPath, parsePath, resolvePath } from './resolve-path.ts';
export { decodeUnixfsData, encodeUnixfsData, type UnixfsData, type UnixfsType, unixfsTypes } from './unixfs-data.ts';
