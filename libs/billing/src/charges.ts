import type { Plan } from '@cairn/metering';

/** Plan that an account has from a time on. */
export interface PlanChange {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Name of the plan. */
  readonly plan: string;
}

/** Amount for a plan in a part of a month. */
export interface Charge {
  readonly plan: string;
  readonly title: string;
  /** ISO 8601. The end is exclusive. */
  readonly from: string;
  readonly to: string;
  /** Smallest unit of the currency, such as cents. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
}

/**
 * Returns the charges of a month by the plans of an account, in proportion to the time of each, at their present prices. Plans
 * without a price are left out. Invoices of a payment provider may differ by its rounding.
 * @param changes in any order; the last one before the month gives its first plan
 * @param span the month, and `until`: the end of the counted time; in milliseconds since 1970
 */
export function chargesOf(
  changes: readonly PlanChange[],
  plans: readonly Plan[],
  { from, to, until }: { readonly from: number; readonly to: number; readonly until: number },
): Charge[] {
  const known = new Map(plans.map((plan) => [plan.name, plan]));
  const ordered = changes.toSorted((one, other) => one.at - other.at);
  return ordered.flatMap(({ at, plan: name }, index) => {
    const begin = Math.max(from, at);
    const end = Math.min(until, ordered[index + 1]?.at ?? until);
    const { title = name, pricePerMonth = 0, currency } = known.get(name) ?? {};
    if (end <= begin || currency === undefined || pricePerMonth === 0) return [];
    const amount = Math.round((pricePerMonth * (end - begin)) / (to - from));
    return [
      { plan: name, title, from: new Date(begin).toISOString(), to: new Date(end).toISOString(), amount, currency },
    ];
  });
}
