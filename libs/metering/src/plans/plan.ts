import { MeteringError } from '../errors.ts';

/** Limits of an account. An absent limit does not apply. */
export interface Plan {
  readonly name: string;
  /** Name shown in the console. */
  readonly title: string;
  /** Refill rate of the token bucket of requests. Each item of a batch is a request. */
  readonly requestsPerSecond?: number;
  /** Capacity of that bucket: the largest burst. Default: ten seconds of the rate. */
  readonly burst?: number;
  /** Credits per day, from midnight to midnight UTC. */
  readonly creditsPerDay?: number;
  /** Bytes that the account may keep in storage. */
  readonly storedBytes?: number;
  /** Bytes of request bodies per day. */
  readonly bytesInPerDay?: number;
  /** Bytes of response bodies per day. */
  readonly bytesOutPerDay?: number;
  /** Concurrent requests, counted for each service separately. */
  readonly concurrentRequests?: number;
  /** Open WebSocket connections. */
  readonly webSockets?: number;
  /** Allowed JSON-RPC methods. A name that ends with `*` allows every method with that prefix. */
  readonly methods?: readonly string[];
  /** Price of a month in the smallest unit of the currency, such as cents. Absent: no price is published. */
  readonly pricePerMonth?: number;
  /** Currency of the price (ISO 4217), such as EUR. Required with a price. */
  readonly currency?: string;
  /** Id of the monthly price at Stripe, `price_…`. */
  readonly stripePrice?: string;
  /** Whether members choose the plan in the console. Default: only operators assign it. */
  readonly isOffered?: boolean;
}

const GiB = 1024 ** 3;

/** Plans of a new installation. `local` is for the owner of the machine; its limits are finite so that usage shows as a share. */
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

/** Returns the default plans in the order of a store. */
export function defaultPlansByName(): Plan[] {
  return [...defaultPlans].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Plan of accounts whose own plan does not exist. */
export const fallbackPlan = 'free';

/** Limits of a plan that are numbers. */
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

const terms = ['pricePerMonth', 'currency', 'stripePrice', 'isOffered'] as const;
const known: ReadonlySet<string> = new Set(['name', 'title', 'methods', ...terms, ...numericLimits]);

/** Parses a plan. @throws PLAN_INVALID naming the field */
export function parsePlan(value: unknown): Plan {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('plan', value, 'an object with a name and limits');
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
    const least = field === 'burst' ? 1 : 0;
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < least)
      throw invalid(field, limit, `a whole number of at least ${least}; leave it out for no limit`);
    plan[field] = limit;
  }
  if (methods !== undefined && methods !== null) {
    if (!Array.isArray(methods) || methods.length > 100)
      throw invalid('methods', methods, 'a list of at most 100 methods');
    for (const method of methods) {
      if (typeof method !== 'string' || !/^[A-Za-z0-9_.]{1,128}\*?$/.test(method))
        throw invalid('methods', method, 'a method such as eth_call, or a prefix such as eth_*');
    }
    plan.methods = methods;
  }
  Object.assign(plan, parseTerms(given));
  return plan as unknown as Plan;
}

/** Parses price and offer. @throws PLAN_INVALID */
function parseTerms(given: Readonly<Record<string, unknown>>): Pick<Plan, (typeof terms)[number]> {
  const [price, currency, stripePrice, isOffered] = terms.map((term) => given[term] ?? undefined);
  if (price !== undefined && (typeof price !== 'number' || !Number.isSafeInteger(price) || price < 0))
    throw invalid('pricePerMonth', price, 'a whole number of the smallest unit, such as 1900 for 19.00');
  if (currency !== undefined && !/^[A-Z]{3}$/.test(String(currency)))
    throw invalid('currency', currency, 'a code of three capital letters, such as EUR');
  if ((price === undefined) !== (currency === undefined))
    throw invalid(price === undefined ? 'pricePerMonth' : 'currency', undefined, 'set; a price has a currency');
  if (stripePrice !== undefined && !/^price_[A-Za-z0-9]{1,250}$/.test(String(stripePrice)))
    throw invalid('stripePrice', stripePrice, 'the id of a price at Stripe, price_…');
  if (isOffered !== undefined && typeof isOffered !== 'boolean') throw invalid('isOffered', isOffered, 'true or false');
  return {
    ...(price !== undefined && { pricePerMonth: price as number, currency: currency as string }),
    ...(stripePrice !== undefined && { stripePrice: stripePrice as string }),
    ...(isOffered !== undefined && { isOffered }),
  };
}

/** Returns if the plan allows the method. @throws METHOD_NOT_IN_PLAN */
export function requirePlanMethod({ methods, name }: Plan, method: string): void {
  if (methods === undefined) return;
  const isAllowed = methods.some((entry) =>
    entry.endsWith('*') ? method.startsWith(entry.slice(0, -1)) : method === entry,
  );
  if (isAllowed) return;
  throw new MeteringError(
    'METHOD_NOT_IN_PLAN',
    `The plan ${JSON.stringify(name)} does not include the method ${JSON.stringify(method)}.`,
    { hint: 'Use a method of the plan, or switch to a plan that includes this one.' },
  );
}

function invalid(field: string, value: unknown, expected: string): MeteringError {
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 80);
  return new MeteringError('PLAN_INVALID', `${field}: ${shown} is not ${expected}.`, { details: { field } });
}
