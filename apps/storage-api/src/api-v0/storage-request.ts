import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '@cairn/auth';
import type { RequestRecord } from '@cairn/service-kit';
import type { StorageMeter } from './storage-meter.ts';

/** One request from its arrival to its log line. */
export interface StorageRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Holds id, span, caller and meter. */
  readonly record: RequestRecord<StorageMeter, Principal>;
  /** Path of the API, in logs before the name of the command. */
  readonly prefix: string;
  /** Name of the command; `unknown` until it is found. */
  command: string;
}
