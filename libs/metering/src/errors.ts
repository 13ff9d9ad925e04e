import { CairnError } from '@cairn/errors';

export type MeteringErrorCode = 'LIMIT_REACHED' | 'PLAN_INVALID' | 'PLAN_NOT_FOUND' | 'METHOD_NOT_IN_PLAN';

/** Error of a plan or of one of its limits. */
export class MeteringError<Code extends MeteringErrorCode = MeteringErrorCode> extends CairnError<Code> {}

/** Limits that can refuse a request, named as in {@link Plan}. */
export type LimitName =
  | 'requestsPerSecond'
  | 'creditsPerDay'
  | 'bytesInPerDay'
  | 'bytesOutPerDay'
  | 'concurrentRequests'
  | 'webSockets';

/** The `details` of a LIMIT_REACHED error. */
export interface LimitReached {
  readonly limit: LimitName;
  /** Value of the limit in the plan. */
  readonly allowed: number;
  /** Amount of the limit that is in use. */
  readonly used: number;
  readonly plan: string;
  readonly retryAfterSeconds: number;
  /** Service whose requests are counted. Present for `concurrentRequests` only: that limit applies to each service separately. */
  readonly service?: string;
}

/** Message parts of each limit: the unit of its value, and the advice that precedes "or use a larger plan". */
const words: Readonly<Record<LimitName, { readonly unit: string; readonly advice: string }>> = {
  requestsPerSecond: { unit: 'requests a second', advice: 'Send fewer requests a second' },
  creditsPerDay: { unit: 'credits a day, counted from midnight UTC', advice: 'Wait for the next day' },
  bytesInPerDay: { unit: 'bytes received a day, counted from midnight UTC', advice: 'Wait for the next day' },
  bytesOutPerDay: { unit: 'bytes sent a day, counted from midnight UTC', advice: 'Wait for the next day' },
  concurrentRequests: { unit: 'requests at the same time', advice: 'Wait until one of them has ended' },
  webSockets: { unit: 'WebSocket connections at the same time', advice: 'Close one of them' },
};

/** Creates the error for a request that exceeds a limit. It names the limit, its value and when to retry. */
export function limitReached(reached: LimitReached): MeteringError<'LIMIT_REACHED'> {
  const { limit, allowed, plan, retryAfterSeconds, service } = reached;
  const { unit, advice } = words[limit];
  const place = service === undefined ? '' : ` to ${service}`;
  return new MeteringError(
    'LIMIT_REACHED',
    `The limit ${limit} of the plan ${JSON.stringify(plan)} is reached: ${allowed} ${unit}${place}.`,
    {
      hint: `${advice} and try again in ${retryAfterSeconds} s, or use a larger plan.`,
      details: { ...reached },
    },
  );
}
