import { CairnError } from '@cairn/errors';

export type MeteringErrorCode = 'LIMIT_REACHED' | 'PLAN_INVALID' | 'PLAN_NOT_FOUND' | 'METHOD_NOT_IN_PLAN';

/** Something about plans and their limits. */
export class MeteringError<Code extends MeteringErrorCode = MeteringErrorCode> extends CairnError<Code> {}

/** The limits that a request may meet, by their names in {@link Plan}. */
export type LimitName =
  | 'requestsPerSecond'
  | 'creditsPerDay'
  | 'bytesInPerDay'
  | 'bytesOutPerDay'
  | 'concurrentRequests'
  | 'webSockets';

/** What `details` of LIMIT_REACHED hold. */
export interface LimitReached {
  readonly limit: LimitName;
  /** What the plan allows. */
  readonly allowed: number;
  /** How much of it is in use now. */
  readonly used: number;
  readonly plan: string;
  readonly retryAfterSeconds: number;
  /** Name of the service whose requests are counted; present for `concurrentRequests`, which each service counts apart. */
  readonly service?: string;
}

/** Words of a limit: a unit after its value, and the way out before "or use a larger plan". */
const words: Readonly<Record<LimitName, { readonly unit: string; readonly advice: string }>> = {
  requestsPerSecond: { unit: 'requests a second', advice: 'Send fewer requests a second' },
  creditsPerDay: { unit: 'credits a day, counted from midnight UTC', advice: 'Wait for the next day' },
  bytesInPerDay: { unit: 'bytes received a day, counted from midnight UTC', advice: 'Wait for the next day' },
  bytesOutPerDay: { unit: 'bytes sent a day, counted from midnight UTC', advice: 'Wait for the next day' },
  concurrentRequests: { unit: 'requests at the same time', advice: 'Wait until one of them has ended' },
  webSockets: { unit: 'WebSocket connections at the same time', advice: 'Close one of them' },
};

/** The refusal of a request that a plan has no room for: names the limit, its value and the way out. */
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
