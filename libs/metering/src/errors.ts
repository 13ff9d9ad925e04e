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
}

const units: Readonly<Record<LimitName, string>> = {
  requestsPerSecond: 'requests a second',
  creditsPerDay: 'credits a day',
  bytesInPerDay: 'bytes received a day',
  bytesOutPerDay: 'bytes sent a day',
  concurrentRequests: 'requests at once',
  webSockets: 'WebSocket connections',
};

/** The refusal of a request that a plan has no room for. */
export function limitReached(reached: LimitReached): MeteringError<'LIMIT_REACHED'> {
  const { limit, allowed, plan, retryAfterSeconds } = reached;
  return new MeteringError(
    'LIMIT_REACHED',
    `The limit of the plan ${JSON.stringify(plan)} is reached: ${allowed} ${units[limit]}.`,
    { hint: `Try again in ${retryAfterSeconds} s, or take a larger plan.`, details: { ...reached } },
  );
}
