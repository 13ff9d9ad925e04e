import type { Plan } from '../plans/plan.ts';

const daySeconds = 86_400;

interface Counter {
  readonly remaining: number;
}

/** Formats RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers): each quota with its window in seconds. */
export function policyField({ requestsPerSecond: rate, burst, creditsPerDay }: Plan): string {
  const policies: string[] = [];
  if (rate !== undefined) {
    const quota = burst ?? Math.max(1, rate * 10);
    policies.push(`"requests";q=${quota};w=${rate === 0 ? 1 : Math.max(1, Math.ceil(quota / rate))}`);
  }
  if (creditsPerDay !== undefined) policies.push(`"credits";q=${creditsPerDay};w=${daySeconds}`);
  return policies.join(', ');
}

/** Formats RateLimit of the same draft: the remainder of each quota, and the seconds until it is full again. */
export function rateLimitField({
  plan,
  requests,
  credits,
  now,
}: {
  readonly plan: Plan;
  readonly requests: Counter | undefined;
  readonly credits: Counter | undefined;
  readonly now: number;
}): string {
  let field = '';
  const rate = plan.requestsPerSecond;
  if (requests !== undefined && rate !== undefined) {
    const { remaining } = requests;
    const missing = (plan.burst ?? Math.max(1, rate * 10)) - remaining;
    field = `"requests";r=${remaining};t=${rate === 0 ? 1 : Math.max(0, Math.ceil(missing / rate))}`;
  }
  if (credits === undefined) return field;
  const midnight = daySeconds - (Math.floor(now / 1000) % daySeconds);
  return `${field}${field === '' ? '' : ', '}"credits";r=${credits.remaining};t=${midnight}`;
}
