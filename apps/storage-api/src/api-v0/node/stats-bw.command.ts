import { setTimeout as sleep } from 'node:timers/promises';
import { requireGrant } from '@cairn/auth';
import type { Metering, UsageStore } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { parseGoTimerMs } from '../go-duration-ns.ts';
import { hasNodeGrant, offlineAnswers } from '../peer/peer-command.ts';
import { parsePeerId } from '../peer/peer-id.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  peer: { kind: 'text', alias: 'p' },
  proto: { kind: 'text', alias: 't' },
  poll: { kind: 'boolean', default: false },
  interval: { kind: 'text', alias: 'i', default: '1s' },
} as const;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Milliseconds between two results of one request, at least. */
const intervalMsMin = 1000;

/**
 * `stats/bw`: returns the bytes that the account exchanged with this service since midnight UTC, and the bytes per
 * second of the last whole minute. A key with the grant `node` gets those of the peer, in total, by peer or by protocol.
 */
@Injectable()
export class StatsBwCommand implements Command<typeof options> {
  readonly name = 'stats/bw';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = options;

  constructor(
    @Inject(METERING) private readonly metering: Metering,
    @Inject(PEER_API) private readonly peer: PeerApi | undefined,
  ) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { options: chosen, response, signal } = context;
    if (chosen.peer !== undefined && chosen.proto !== undefined)
      throw new ApiError(400, 'please only specify peer OR protocol');
    const read = this.#reader(context);
    const intervalMs = Math.max(intervalMsMin, parseGoTimerMs(chosen.interval));
    while (true) {
      await writeLine(response, await read(), signal);
      if (!chosen.poll) break;
      await sleep(intervalMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    endLines(response);
  }

  #reader(context: CommandContext<typeof options>) {
    const { principal, options: chosen } = context;
    const isTotal = chosen.peer === undefined && chosen.proto === undefined;
    const { peer } = this;
    if (isTotal && (peer === undefined || !hasNodeGrant(context)))
      return () => bandwidthOf(this.metering.usage, principal.account.id, Date.now());
    if (peer === undefined) throw offlineAnswers.statistics;
    requireGrant(principal.key.policy, 'node');
    const part = {
      ...(chosen.peer !== undefined && { peer: parsePeerId(chosen.peer).text }),
      ...(chosen.proto !== undefined && { protocol: chosen.proto }),
    };
    return async () => {
      const { totalIn, totalOut, rateIn, rateOut } = await peer.bandwidth(part);
      return { TotalIn: totalIn, TotalOut: totalOut, RateIn: rateIn, RateOut: rateOut };
    };
  }
}

/** Bandwidth of an account in the fields of Kubo's response. */
export async function bandwidthOf(usage: Pick<UsageStore, 'rows'>, accountId: string, now: number) {
  const minute = Math.floor(now / minuteMs) * minuteMs;
  const day = Math.floor(now / dayMs) * dayMs;
  const total = await sumOf(usage, accountId, { from: day, to: day + dayMs, resolution: 'day' });
  const last = await sumOf(usage, accountId, { from: minute - minuteMs, to: minute, resolution: 'minute' });
  return { TotalIn: total.in, TotalOut: total.out, RateIn: last.in / 60, RateOut: last.out / 60 };
}

async function sumOf(
  usage: Pick<UsageStore, 'rows'>,
  accountId: string,
  { from, to, resolution }: { readonly from: number; readonly to: number; readonly resolution: 'minute' | 'day' },
) {
  const sum = { in: 0, out: 0 };
  for await (const { service, bytesIn, bytesOut } of usage.rows(accountId, { from, to }, resolution)) {
    if (service !== 'storage-api') continue;
    sum.in += bytesIn;
    sum.out += bytesOut;
  }
  return sum;
}
