import type { TreeEntry } from '@cairn/unixfs';
import { ApiError } from '../api-error.ts';
import type { UploadPart } from '../multipart.ts';
import { type PartMetadata, symlinkFileMode } from '../part-metadata.ts';
import { type AddOptions, entryMetadata } from './add-options.ts';

const symlinkBytesMax = 4096;

/** An entry of the tree with the metadata of its part, which lines report even where it is not stored. */
export interface AddEntry extends TreeEntry {
  readonly part: PartMetadata;
}

/**
 * Converts the parts of a body to entries of the tree.
 * @throws ApiError 400 for a symlink that is too long, and for a body without parts that is not wrapped
 */
export async function* addEntries(
  parts: AsyncIterable<UploadPart>,
  chosen: AddOptions,
  limited: (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): AsyncGenerator<AddEntry> {
  let count = 0;
  for await (const { filename: path, contentType, metadata, bytes } of parts) {
    count++;
    const isSymlink = contentType === 'application/symlink';
    const part = isSymlink ? { ...metadata, fileMode: symlinkFileMode } : metadata;
    const entry = { path, part, ...entryMetadata(chosen, metadata) };
    if (contentType === 'application/x-directory' || contentType === 'multipart/form-data') yield entry;
    else if (isSymlink) yield { ...entry, symlink: await textOf(limited(bytes)) };
    else yield { ...entry, content: limited(bytes) };
  }
  if (count === 0 && !chosen['wrap-with-directory']) throw new ApiError(400, 'expected a file argument');
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of source) {
    length += bytes.length;
    if (length > symlinkBytesMax) throw new ApiError(400, `a symlink has more than ${symlinkBytesMax} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
