import { isKey } from '../keys.ts';
import type { ListObjectsOptions, ObjectInfo } from '../object-store.ts';
import { connectionFailure, type S3Answer } from './s3-errors.ts';
import type { S3Request, S3Result } from './s3-requests.ts';
import { childrenOf, parseXml, textOf, type XmlElement } from './s3-xml.ts';

/** Lists objects page by page (ListObjectsV2). Keys that this package could not have written are left out. */
export async function* listObjects(call: {
  readonly send: (request: Omit<S3Request, 'path'>) => Promise<S3Result>;
  /** Prefix of all keys of the store. */
  readonly root: string;
  readonly prefix: string;
  readonly options: ListObjectsOptions;
}): AsyncIterable<ObjectInfo> {
  const { send, root, prefix, options } = call;
  for (let token: string | undefined; ; ) {
    const result = await send({
      operation: 'list',
      method: 'GET',
      query: {
        'list-type': '2',
        prefix: `${root}${prefix}`,
        ...(options.after !== undefined && token === undefined && { 'start-after': `${root}${options.after}` }),
        ...(token !== undefined && { 'continuation-token': token }),
      },
      // A damaged page must not look like the end of the list.
      findFailure: (answer) =>
        pageOf(answer) === undefined ? connectionFailure(new Error('no list'), undefined) : undefined,
      signal: options.signal,
    });
    const page = pageOf(result);
    for (const entry of childrenOf(page, 'Contents')) {
      const info = infoOf(entry, root);
      if (info !== undefined) yield info;
    }
    token = textOf(page, 'NextContinuationToken');
    if (textOf(page, 'IsTruncated') !== 'true' || token === undefined) return;
  }
}

function pageOf(answer: S3Answer): XmlElement | undefined {
  return childrenOf(parseXml(answer.body), 'ListBucketResult')[0];
}

function infoOf(entry: XmlElement, root: string): ObjectInfo | undefined {
  const key = textOf(entry, 'Key');
  if (key === undefined || !key.startsWith(root) || !isKey(key.slice(root.length))) return undefined;
  return {
    key: key.slice(root.length),
    bytes: Number(textOf(entry, 'Size')),
    modifiedAt: new Date(textOf(entry, 'LastModified') ?? Number.NaN),
  };
}
