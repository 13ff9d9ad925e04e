import { CID } from '@cairn/cid';
import {
  type Followed,
  followWithin,
  PathLookupError,
  readValue,
  type TranscodableCodec,
  transcodeDag,
  UndecodableError,
  UnencodableError,
  valueAt,
  type WithinBlock,
  writeValue,
} from '@cairn/dag';
import { isCairnError } from '@cairn/errors';

/** CPU work on one block. Jobs and outcomes cross to a thread, so they hold plain values only. */
export type CodecJob =
  | {
      readonly kind: 'transcode';
      readonly bytes: Uint8Array;
      readonly from: TranscodableCodec;
      readonly to: TranscodableCodec;
    }
  | {
      readonly kind: 'extract';
      readonly bytes: Uint8Array;
      readonly from: TranscodableCodec;
      /** CID of the block, for errors. */
      readonly block: string;
      /** Path of the value within the block. */
      readonly names: readonly string[];
      /** Codec of the result. Without it the job only checks that the value exists. */
      readonly to: TranscodableCodec | undefined;
    }
  | ({ readonly kind: 'follow' } & WithinBlock);

export type CodecOutcome =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'undecodable'; readonly what: string; readonly codec: string; readonly reason: string }
  | { readonly kind: 'unencodable'; readonly codec: string; readonly reason: string }
  | { readonly kind: 'lookup'; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string };

const none = new Uint8Array(0);

/** Runs a job in this thread. @throws DAG_INVALID, VALUE_INVALID, PATH_LOOKUP_FAILED */
export function runCodecJob(job: CodecJob): Uint8Array {
  if (job.kind === 'transcode') return transcodeDag(job.bytes, job.from, job.to);
  if (job.kind === 'follow') return encodeFollowed(followWithin(job));
  const { bytes, from, block, names, to } = job;
  const value = valueAt(readValue(from, bytes, `Block ${block}`), names);
  if (to === undefined) return none;
  // Kubo prints the field that a dag-pb node lacks.
  const lacksData = from === 'dag-pb' && names.length === 0 && to === 'dag-json';
  return writeValue(to, lacksData && value instanceof Map ? new Map([['Data', null], ...value]) : value);
}

/** Encodes the result of a job that follows names. */
function encodeFollowed({ used, link, failure }: Followed): Uint8Array {
  return Buffer.from(JSON.stringify({ used, link: link?.toString(), failure }));
}

/** Decodes the result of {@link runCodecJob} for a job that follows names. */
export function decodeFollowed(bytes: Uint8Array): Followed {
  const { used, link, failure }: { readonly used: number; readonly link?: string; readonly failure?: string } =
    JSON.parse(Buffer.from(bytes).toString());
  return { used, failure, ...(link !== undefined && { link: CID.parse(link) }) };
}

/** Result of a job, or its error, as plain values. */
export function outcomeOf(job: CodecJob): CodecOutcome {
  try {
    return { kind: 'bytes', bytes: runCodecJob(job) };
  } catch (error) {
    const reason = reasonOf(error);
    if (isCairnError(error, 'DAG_INVALID'))
      return { kind: 'undecodable', what: String(error.details.what), codec: String(error.details.codec), reason };
    if (isCairnError(error, 'VALUE_INVALID'))
      return { kind: 'unencodable', codec: String(error.details.codec), reason };
    const message = error instanceof Error ? error.message : String(error);
    return { kind: isCairnError(error, 'PATH_LOOKUP_FAILED') ? 'lookup' : 'fault', message };
  }
}

/** Returns the bytes of an outcome. @throws the error that {@link runCodecJob} threw */
export function bytesOfOutcome(outcome: CodecOutcome): Uint8Array {
  switch (outcome.kind) {
    case 'bytes':
      return outcome.bytes;
    case 'undecodable':
      throw new UndecodableError(outcome.what, outcome.codec, new Error(outcome.reason));
    case 'unencodable':
      throw new UnencodableError(outcome.codec, new Error(outcome.reason));
    case 'lookup':
      throw new PathLookupError(outcome.message);
    case 'fault':
      throw new Error(outcome.message);
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
