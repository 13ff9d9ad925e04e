import { runInLane } from '@cairn/upstream';
import { LazyContext, LazySignal, type RequestContext } from '../request-context.ts';

/**
 * Runs a method on a network with upstreams. The method may run several times, until everything that it reads is fetched. The answer
 * counts as executed if a job of the worker pool produced it, else as proven; `quorum` is recorded in addition if a read rests on the
 * agreement of upstreams.
 */
export async function handleOverUpstreams(
  context: RequestContext,
  handle: (scoped: RequestContext) => unknown,
): Promise<unknown> {
  const { meter, principal, subscriptions } = context;
  const effects = new Map<string, Promise<unknown>>();
  const once = <T>(name: string, effect: () => Promise<T>): Promise<T> => {
    const known = effects.get(name) ?? effect();
    effects.set(name, known);
    return known as Promise<T>;
  };
  const result = await context.chain.read(
    (chain) =>
      handle(new LazyContext({ chain, once, meter, principal, ...(subscriptions && { subscriptions }) }, context)),
    new ReadOptions(context),
  );
  if ([...effects.keys()].some((name) => name.startsWith(executionPrefix))) meter.recordProof('executed');
  else meter.recordProof('proven');
  return result;
}

class ReadOptions extends LazySignal {
  readonly onQuorum: () => void;

  constructor(context: RequestContext) {
    super(context);
    this.onQuorum = () => context.meter.recordProof('quorum');
  }
}

/**
 * Runs the work of a method in the lane of its account, so that no account can occupy the upstreams, and charges for the calls to
 * upstreams that it needs. Calls of work that outlives the method, such as a subscription, are not charged.
 */
export async function inAccountLane<T>(
  method: string,
  { meter, principal }: Pick<RequestContext, 'meter' | 'principal'>,
  work: () => T | Promise<T>,
): Promise<T> {
  let calls = 0;
  let isEnded = false;
  const onCall = () => {
    if (isEnded) return;
    calls++;
    meter.chargeUpstreamCall();
  };
  try {
    return await runInLane({ name: principal.account.id, onCall }, work);
  } finally {
    isEnded = true;
    meter.recordUpstreamCalls(method, calls);
  }
}

/** Runs an effect of a method that may be repeated: once for each name. */
export function onceIn<T>({ once }: RequestContext, name: string, effect: () => Promise<T>): Promise<T> {
  return once === undefined ? effect() : once(name, effect);
}

/** Start of the names of effects that execute code. */
export const executionPrefix = 'execute ';
