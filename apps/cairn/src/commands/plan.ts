import { fallbackPlan, numericLimits, type Plan, type PlanStore, parsePlan } from '@cairn/metering';
import { byteText } from '@cairn/service-kit';
import { type Command, InvalidArgumentError } from 'commander';
import { parseBytes } from '../parse-bytes.ts';
import { countText, print, table } from '../print.ts';
import { requirePlan, requireRemovable } from '../require-plan.ts';
import { openHome, withAuth } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

type NumericLimit = (typeof numericLimits)[number];

/** Value of an option that removes a limit. The library replaces `null` of a parser by an empty text. */
const none = 'none';

/** Parsed options of `plan set`. */
type SetOptions = Partial<Record<NumericLimit, number | typeof none>> & {
  readonly title?: string;
  readonly methods?: readonly string[] | typeof none;
  readonly json?: boolean;
};

const sizes: ReadonlySet<string> = new Set(['storedBytes', 'bytesInPerDay', 'bytesOutPerDay']);
const headings: Readonly<Record<NumericLimit, string>> = {
  requestsPerSecond: 'REQUESTS',
  burst: 'BURST',
  creditsPerDay: 'CREDITS',
  storedBytes: 'STORED',
  bytesInPerDay: 'UPLOADS',
  bytesOutPerDay: 'DOWNLOADS',
  concurrentRequests: 'CONCURRENT',
  webSockets: 'WEBSOCKETS',
};
const periods: Partial<Readonly<Record<NumericLimit, string>>> = {
  requestsPerSecond: '/s',
  creditsPerDay: '/day',
  bytesInPerDay: '/day',
  bytesOutPerDay: '/day',
};

/** `cairn plan list|set|remove`, and `cairn account plan` */
export function addPlanCommands(program: Command, accounts: Command): void {
  const group = topCommand(program, 'plan');
  group
    .command('list')
    .description('Lists all plans.')
    .option('--json', 'print JSON')
    .action((options: { readonly json?: boolean }) =>
      withPlans(async (store) => {
        const plans = await store.plans();
        const rows = plans.map((plan) => [
          plan.name,
          ...numericLimits.map((limit) => limitText(plan, limit)),
          plan.methods?.join(',') ?? 'all',
        ]);
        print(plans, options, table([['NAME', ...numericLimits.map((limit) => headings[limit]), 'METHODS'], ...rows]));
      }),
    );
  const set = group
    .command('set <name>')
    .description('Creates a plan, or changes the given limits of one. It applies within a second in every process.')
    .option('--title <title>', 'display name')
    .option('--methods <names>', 'JSON-RPC methods that it allows, such as eth_call,eth_get*; none for all', methodList)
    .option('--json', 'print JSON');
  for (const limit of numericLimits) {
    const [kind, read] = sizes.has(limit) ? ['size', sizeOrNone] : ['count', countOrNone];
    set.option(
      `--${kebab(limit)} <${kind}>`,
      `${words(limit)}${sizes.has(limit) ? ', such as 250GiB' : ''}; none for no limit`,
      read as (text: string) => number | typeof none,
    );
  }
  set.action((name: string, { json, title, ...limits }: SetOptions) =>
    withPlans(async (store) => {
      const before = (await store.plans()).find((plan) => plan.name === name);
      const given = Object.fromEntries(
        Object.entries(limits).map(([limit, value]) => [limit, value === none ? undefined : value]),
      );
      const plan = parsePlan({ ...before, name, ...(title !== undefined && { title }), ...given });
      await store.put(plan);
      print(plan, { json }, [describe(plan)]);
    }),
  );
  group
    .command('remove <name>')
    .description('Removes a plan. Accounts that have it get the limits of free.')
    .option('--json', 'print JSON')
    .action((name: string, options: { readonly json?: boolean }) =>
      withPlans(async (store) => {
        requireRemovable(name);
        await store.remove(name);
        print({ name }, options, [`Removed the plan ${name}.`]);
      }),
    );
  accounts
    .command('plan <account> <plan>')
    .description('Changes the plan of an account.')
    .option('--json', 'print JSON')
    .action((account: string, name: string, options: { readonly json?: boolean }) =>
      withAuth(async (auth) => {
        await withPlans(async (store) => requirePlan(await store.plans(), name));
        const changed = await auth.setPlan(account, name);
        print(changed, options, [`${changed.name} has the plan ${changed.plan}.`]);
      }),
    );
}

/** Returns the plan of a name, or its substitute. */
export async function planOf(name: string): Promise<Plan | undefined> {
  return await withPlans(async (store) => {
    const plans = await store.plans();
    return plans.find((plan) => plan.name === name) ?? plans.find((plan) => plan.name === fallbackPlan);
  });
}

async function withPlans<T>(use: (store: PlanStore) => Promise<T>): Promise<T> {
  const store = await openHome().plans();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function describe(plan: Plan): string {
  const limits = numericLimits
    .filter((limit) => plan[limit] !== undefined)
    .map((limit) => `${words(limit)} ${limitText(plan, limit)}`);
  return `${plan.name} (${plan.title}): ${limits.join(', ') || 'no limits'}${plan.methods ? `, methods ${plan.methods.join(',')}` : ''}`;
}

/** Prints a limit with its unit, such as `5.0 GiB/day`. */
function limitText(plan: Plan, limit: NumericLimit): string {
  const value = plan[limit];
  if (value === undefined) return none;
  return `${sizes.has(limit) ? byteText(value) : countText(value)}${periods[limit] ?? ''}`;
}

function countOrNone(text: string): number | typeof none {
  if (text === none) return none;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number, or none.');
}

function sizeOrNone(text: string): number | typeof none {
  return parseBytes(text) ?? none;
}

function methodList(text: string): readonly string[] | typeof none {
  return text === none ? none : text.split(',').map((entry) => entry.trim());
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function words(name: string): string {
  return kebab(name).replaceAll('-', ' ');
}
