import type { Provider } from '@cairn/block-exchange';
import type { RoutingEvent } from '@cairn/peer-api';
import { withoutPeerId } from './peer-address.ts';

/** Numbers of go-libp2p for events of a search (core/routing/query.go). */
export const queryEventTypes = { query: 0, response: 1, peer: 2, error: 3, provider: 4, value: 5 } as const;

/** Event of a search in the fields of Kubo's response. */
export interface QueryEvent {
  readonly Extra: string;
  readonly ID: string;
  readonly Responses: readonly { readonly ID: string; readonly Addrs: readonly string[] }[] | null;
  readonly Type: number;
}

export interface QueryEventView {
  /** Selects the addresses that the caller may see. */
  readonly visible: (addresses: readonly string[]) => readonly string[];
  /** Messages of failures may quote addresses of the operator's network. */
  readonly showsReasons: boolean;
}

export function queryEvent(type: keyof typeof queryEventTypes, fields: Partial<Omit<QueryEvent, 'Type'>> = {}) {
  const { Extra = '', ID = '', Responses = null } = fields;
  return { Extra, ID, Responses, Type: queryEventTypes[type] } satisfies QueryEvent;
}

/** Converts an event of the peer. */
export function queryEventFrom(event: RoutingEvent, { visible, showsReasons }: QueryEventView): QueryEvent {
  const responses = (providers: readonly Provider[]) =>
    providers.map(({ peer = '', addresses = [] }) => ({ ID: peer, Addrs: visible(addresses).map(withoutPeerId) }));
  switch (event.type) {
    case 'query':
      return queryEvent('query', { ID: event.peer });
    case 'response':
      return queryEvent('response', { ID: event.peer, Responses: responses(event.closer) });
    case 'provider':
    case 'peer':
      return queryEvent(event.type, { Responses: responses([event.provider]) });
    case 'value':
      return queryEvent('value', { Extra: Buffer.from(event.value).toString('base64') });
    case 'error':
      return queryEvent('error', {
        ID: event.peer ?? '',
        Extra: showsReasons ? event.message : 'the query of a peer failed',
      });
  }
}
