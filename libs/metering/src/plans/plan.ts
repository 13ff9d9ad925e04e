import { MeteringError } from '../errors.ts';

/** What an account may use. A limit that is absent does not hold. */
export interface Plan {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Rate at which the token bucket of requests fills. Each item of a batch is a request. */
  readonly requestsPerSecond?: number;
  /** Size of that bucket: requests that may come at once. Default: ten seconds of the rate. */
  readonly burst?: number;
  /** Credits between one midnight (UTC) and the next. */
  readonly creditsPerDay?: number;
  /** Bytes that it may hold in storage. */
  readonly storedBytes?: number;
  /** Bytes of bodies that it may send in a day. */
  readonly bytesInPerDay?: number;
  /** Bytes of bodies that it may have sent to it in a day. */
  readonly bytesOutPerDay?: number;
  readonly concurrentRequests?: number;
  readonly webSockets?: number;
  /** JSON-RPC methods; a name that ends with `*` stands for all that begin so. */
  readonly methods?: readonly string[];
}

const GiB = 1024 ** 3;

/** The plans of a new installation. `local` is for the machine's owner: finite, so that its use can be watched. */
export const defaultPlans: readonly Plan[] = [
  {
    name: 'free',
    title: 'Free',
    requestsPerSecond: 100,
    burst: 1000,
    creditsPerDay: 3_000_000,
    storedBytes: 5 * GiB,
    bytesInPerDay: 10 * GiB,
    bytesOutPerDay: 20 * GiB,
    concurrentRequests: 64,
    webSockets: 20,
  },
  {
    name: 'team',
    title: 'Team',
    requestsPerSecond: 1000,
    burst: 5000,
    creditsPerDay: 75_000_000,
    storedBytes: 250 * GiB,
    bytesInPerDay: 250 * GiB,
    bytesOutPerDay: 1000 * GiB,
    concurrentRequests: 500,
    webSockets: 500,
  },
  {
    name: 'local',
    title: 'Local',
    requestsPerSecond: 1_000_000,
    burst: 10_000_000,
    creditsPerDay: 1_000_000_000_000,
    concurrentRequests: 100_000,
    webSockets: 100_000,
  },
];

/** The plan of accounts that name none that exists. */
export const fallbackPlan = 'free';

/** Limits that are numbers, with the smallest that makes sense. */
export const numericLimits = [
  'requestsPerSecond',
  'burst',
  'creditsPerDay',
  'storedBytes',
  'bytesInPerDay',
  'bytesOutPerDay',
  'concurrentRequests',
  'webSockets',
] as const satisfies readonly (keyof Plan)[];

const known: ReadonlySet<string> = new Set(['name', 'title', 'methods', ...numericLimits]);

/** Checks what an operator asks for. @throws PLAN_INVALID naming the field */
export function parsePlan(value: unknown): Plan {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('plan', value, 'an object of a name and limits');
  const given = value as Readonly<Record<string, unknown>>;
  for (const field of Object.keys(given)) {
    if (!known.has(field)) throw invalid(field, given[field], `one of ${[...known].join(', ')}`);
  }
  const { name, title = name, methods } = given;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,31}$/.test(name))
    throw invalid('name', name, '1 to 32 lower-case letters, digits or -, the first a letter');
  if (typeof title !== 'string' || title.length === 0 || title.length > 64)
    throw invalid('title', title, '1 to 64 characters');
  const plan: Record<string, unknown> = { name, title };
  for (const field of numericLimits) {
    const limit = given[field];
    if (limit === undefined || limit === null) continue;
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < (field === 'burst' ? 1 : 0))
      throw invalid(field, limit, 'a whole number, or nothing for no limit');
    plan[field] = limit;
  }
  if (methods !== undefined && methods !== null) {
    if (!Array.isArray(methods) || methods.length > 100) throw invalid('methods', methods, 'a list of 100 at most');
    for (const method of methods) {
      if (typeof method !== 'string' || !/^[A-Za-z0-9_.]{1,128}\*?$/.test(method))
        throw invalid('methods', method, 'a method such as eth_call, or a beginning such as eth_*');
    }
    plan.methods = methods;
  }
  return plan as unknown as Plan;
}

/** @throws METHOD_NOT_IN_PLAN */
export function requirePlanMethod({ methods, name }: Plan, method: string): void {
  if (methods === undefined) return;
  const isAllowed = methods.some((entry) =>
    entry.endsWith('*') ? method.startsWith(entry.slice(0, -1)) : method === entry,
  );
  if (isAllowed) return;
  throw new MeteringError(
    'METHOD_NOT_IN_PLAN',
    `The plan ${JSON.stringify(name)} has not the method ${JSON.stringify(method)}.`,
    { hint: 'Take another plan, or use one of its methods.' },
  );
}

function invalid(field: string, value: unknown, expected: string): MeteringError {
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 80);
  return new MeteringError('PLAN_INVALID', `${field}: ${shown} is not ${expected}.`, { details: { field } });
}
