import { CairnError } from '@cairn/errors';
import { fallbackPlan, type Plan } from '@cairn/metering';

/** Requires that a plan exists. An account with another plan would get the limits of the fallback plan. @throws PLAN_NOT_FOUND */
export function requirePlan(plans: readonly Plan[], name: string): void {
  if (plans.some((plan) => plan.name === name)) return;
  const known = plans.map((plan) => plan.name).join(', ');
  throw new CairnError('PLAN_NOT_FOUND', `There is no plan ${JSON.stringify(name)}; there are ${known}.`);
}

/** Requires that a plan is not the fallback plan, without which accounts of missing plans are refused. @throws PLAN_REQUIRED */
export function requireRemovable(name: string): void {
  if (name !== fallbackPlan) return;
  throw new CairnError(
    'PLAN_REQUIRED',
    `The plan ${name} cannot be removed: accounts without a plan have its limits.`,
    {
      hint: `Change its limits with \`cairn plan set ${name}\`.`,
    },
  );
}
