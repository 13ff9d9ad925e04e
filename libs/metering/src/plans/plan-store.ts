import type { Plan } from './plan.ts';

/** Port of the plans. A change is durable when its promise resolves, and visible to every process. */
export interface PlanStore {
  /** Lists the plans in order of their names. A store without plans returns the default ones. */
  plans(): Promise<readonly Plan[]>;
  /** Adds a plan, or replaces the plan of the same name. The first change also stores the default plans. */
  put(plan: Plan): Promise<void>;
  /** Removes a plan. Its accounts get the fallback plan. @throws PLAN_NOT_FOUND */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
