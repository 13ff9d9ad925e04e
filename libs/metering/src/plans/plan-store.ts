import type { Plan } from './plan.ts';

/** The port to plans. Changes are durable when they resolve. */
export interface PlanStore {
  /** In order of their names. A store that has none yet gets the default ones. */
  plans(): Promise<readonly Plan[]>;
  put(plan: Plan): Promise<void>;
  /** Accounts that name it get the fallback plan. @throws PLAN_NOT_FOUND */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
