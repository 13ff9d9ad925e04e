import { decodeTransaction, type Transaction } from '@cairn/block-model';
import type { ProcessGroup } from '@cairn/service-kit';
import { PROCESSES } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '../chains/chain.ts';
import { Networks } from '../chains/networks.ts';
import { PendingRegistry } from './pending-transactions.ts';
import { SentTransactions } from './sent-transactions.ts';

const sentTopic = 'sent transactions';
const readTopic = 'readers of pending transactions';
/** Transactions that a process learns which starts later: at most 32 MiB. */
const keptMax = 256;
/** Shortest time in milliseconds between two messages that the pending transactions of a network are read. */
const readEveryMs = 10_000;

interface SentMessage {
  readonly network: string;
  readonly raw: Uint8Array;
}

interface ReadMessage {
  readonly network: string;
  readonly isFull: boolean;
}

/** Lets all processes of the gateway know the transactions that one of them has sent, and collect those that one of them reports. */
@Injectable()
export class SharedPending {
  constructor(
    @Inject(Networks) networks: Networks,
    @Inject(PendingRegistry) pending: PendingRegistry,
    @Inject(SentTransactions) sent: SentTransactions,
    @Inject(PROCESSES) processes: ProcessGroup,
  ) {
    const chains = new Map(networks.chains.map((chain) => [chain.network.name, chain]));
    sent.onSent = (chain, transaction) => {
      pending.of(chain).sent(transaction);
      processes.publish(sentTopic, messageOf(chain, transaction), { keep: keptMax });
    };
    processes.subscribe(sentTopic, (message) => {
      const { network, raw } = message as SentMessage;
      const chain = chains.get(network);
      if (chain === undefined) return;
      const transaction = decodeTransaction(raw);
      sent.learn(chain, transaction);
      pending.of(chain).sent(transaction);
    });
    const readAt = new Map<string, number>();
    pending.onRead = ({ name }, { isFull }) => {
      const [key, now] = [`${name} ${isFull}`, performance.now()];
      if (now - (readAt.get(key) ?? Number.NEGATIVE_INFINITY) < readEveryMs) return;
      readAt.set(key, now);
      processes.publish(readTopic, { network: name, isFull } satisfies ReadMessage);
    };
    processes.subscribe(readTopic, (message) => {
      const { network, isFull } = message as ReadMessage;
      const chain = chains.get(network);
      if (chain !== undefined) pending.of(chain).keepReading({ isFull });
    });
  }
}

function messageOf({ network }: Chain, { raw }: Transaction): SentMessage {
  return { network: network.name, raw };
}
