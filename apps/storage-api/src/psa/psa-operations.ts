import type { StorageScope } from '@cairn/auth';

/** One operation of the Pinning Service API: its name in usage and logs, and the scope that a key needs. */
export interface PsaOperation {
  readonly name: string;
  readonly scope: StorageScope;
}

/** Operations by method: on the list of pins, on one of them, and on the webhook, which the specification does not have. */
export const psaOperations = {
  pins: {
    GET: { name: 'pins/list', scope: 'read' },
    POST: { name: 'pins/add', scope: 'pin' },
  },
  pin: {
    GET: { name: 'pins/get', scope: 'read' },
    POST: { name: 'pins/replace', scope: 'pin' },
    DELETE: { name: 'pins/remove', scope: 'pin' },
  },
  webhook: {
    GET: { name: 'webhook/get', scope: 'read' },
    PUT: { name: 'webhook/set', scope: 'pin' },
    DELETE: { name: 'webhook/remove', scope: 'pin' },
  },
} as const satisfies Record<string, Readonly<Record<string, PsaOperation>>>;

/** Attempt of the queue. Its request has paid the price of the operation, so that only its work is charged. */
export const pinAttempt = { name: 'pins/attempt', scope: 'pin' } as const satisfies PsaOperation;
