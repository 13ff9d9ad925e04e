import { AsyncLocalStorage } from 'node:async_hooks';

/** Work whose calls share one lane in the queues of the upstreams, for example that of an account. */
export interface UpstreamLane {
  /** Lanes of one name are one lane. */
  readonly name: string;
  /** Called for each call that is sent, without hedges and retries. Calls that share a running one are not counted. */
  readonly onCall?: () => void;
}

const current = new AsyncLocalStorage<UpstreamLane>();

/** Runs work in a lane: its calls take turns with those of other lanes, whatever their number. */
export function runInLane<T>(lane: UpstreamLane, work: () => T): T {
  return current.run(lane, work);
}

/** The lane of the running work; `undefined` for work of the process, such as head polls. */
export function currentLane(): UpstreamLane | undefined {
  return current.getStore();
}

/** Runs work that outlives the request that starts it. */
export function runOutsideLanes<T>(work: () => T): T {
  return current.exit(work);
}
