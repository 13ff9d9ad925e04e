import { type GaugeOfGroup, type Logger, type Registry, registerCounter, registerGauge } from '@cairn/service-kit';
import type { UpstreamEvent } from '@cairn/upstream';
import type { LightClientWorkerEvent } from './light-client-protocol.ts';
import type { UpstreamChain } from './upstream-chain.ts';

/** Shortest time in milliseconds between two log lines about the same failure of a head source. */
const repeatMs = 60_000;

type Labels = Readonly<Record<string, string>>;

/** Logs and counts events of upstreams. Names are hosts, since URLs may contain keys. */
export class UpstreamReports {
  readonly #logger: Logger;
  readonly #counts = new Map<string, { readonly labels: Labels; count: number }>();
  readonly #logged = new Map<string, number>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  event(network: string, event: UpstreamEvent): void {
    const { type, upstream } = event;
    if (type === 'attempt') this.#count({ network, upstream, outcome: event.outcome });
    else if (type === 'hedged' || type === 'isolated') this.#count({ network, upstream, outcome: type });
    if (type === 'isolated') {
      const { method, reason, ms, evidence } = event;
      this.#logger.error({ network, upstream, method, reason, ms, evidence }, 'upstream isolated: wrong answer');
    } else if (type === 'unsupported') {
      this.#logger.info({ network, upstream, method: event.method }, 'upstream lacks a method');
    } else if (type === 'limited') {
      this.#logger.info({ network, upstream, ms: event.ms }, 'upstream limits its rate');
    } else if (type === 'opened') {
      this.#logger.warn({ network, upstream, reason: event.reason }, 'upstream fails');
    } else if (type === 'closed') {
      this.#logger.info({ network, upstream }, 'upstream answers again');
    }
  }

  lightClient(network: string, event: Exclude<LightClientWorkerEvent, { readonly kind: 'heads' }>): void {
    const { kind: _, ...fields } = event;
    this.#warn(network, event.reason, fields, 'the light client has a problem');
  }

  headFailed(network: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#warn(network, reason, { reason }, 'a head cannot be verified');
  }

  registerMetrics(metrics: Registry, chains: readonly UpstreamChain[]): void {
    registerCounter(
      metrics,
      {
        name: 'cairn_upstream_requests_total',
        help: 'Attempts at upstreams, by outcome. Hedged attempts and isolations are counted in addition.',
        labelNames: ['network', 'upstream', 'outcome'],
      },
      () => [...this.#counts.values()].map(({ labels, count }) => [labels, count] as const),
    );
    const gauge = (
      name: string,
      help: string,
      read: (state: ReturnType<UpstreamChain['upstreams']['states']>[number]) => number | undefined,
      aggregator: GaugeOfGroup = 'max',
    ) =>
      registerGauge(
        metrics,
        name,
        help,
        () =>
          chains.flatMap(({ network, upstreams }) =>
            upstreams.states().flatMap((state) => {
              const value = read(state);
              return value === undefined ? [] : [[{ network: network.name, upstream: state.name }, value] as const];
            }),
          ),
        ['network', 'upstream'],
        aggregator,
      );
    gauge('cairn_upstream_height', 'Height that the upstream claims.', ({ height }) => Number(height));
    const isUsable = ({
      breaker,
      isIsolated,
      isChainVerified,
    }: (typeof chains)[number]['upstreams'] extends {
      states(): readonly (infer State)[];
    }
      ? State
      : never) => Number(breaker !== 'open' && !isIsolated && isChainVerified);
    gauge('cairn_upstream_is_usable', '1 if the upstream is asked.', isUsable, 'min');
    gauge('cairn_upstream_p95_seconds', 'Time of 95 % of the answers.', ({ p95Ms }) =>
      p95Ms === undefined ? undefined : p95Ms / 1000,
    );
    gauge('cairn_upstream_in_flight', 'Calls that the upstream has not answered.', ({ inFlight }) => inFlight, 'sum');
  }

  #count(labels: Labels): void {
    const key = JSON.stringify(labels);
    const entry = this.#counts.get(key) ?? { labels, count: 0 };
    this.#counts.set(key, entry);
    entry.count++;
  }

  /** Logs a repeated failure once a minute. */
  #warn(network: string, reason: string, fields: object, message: string): void {
    const key = `${network} ${reason}`;
    const now = performance.now();
    if (now - (this.#logged.get(key) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    if (this.#logged.size > 1000) this.#logged.clear();
    this.#logged.set(key, now);
    this.#logger.warn({ network, ...fields }, message);
  }
}
