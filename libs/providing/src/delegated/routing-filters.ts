/** Record of the schema `peer`. */
export interface PeerRecord {
  readonly Schema: 'peer';
  readonly ID: string;
  readonly Addrs: readonly string[];
  readonly Protocols: readonly string[];
}

export interface RoutingFilters {
  readonly addresses: readonly string[];
  readonly protocols: readonly string[];
}

/** Reads `filter-addrs` and `filter-protocols` (IPIP-484). */
export function filtersOf(query: URLSearchParams): RoutingFilters {
  const list = (name: string) =>
    (query.get(name) ?? '')
      .toLowerCase()
      .split(',')
      .filter((item) => item !== '')
      .slice(0, 64);
  return { addresses: list('filter-addrs'), protocols: list('filter-protocols') };
}

/** Returns the record with the addresses that pass; undefined if the record does not pass. */
export function applyFilters(record: PeerRecord, { addresses, protocols }: RoutingFilters): PeerRecord | undefined {
  const hasProtocol = (name: string) => record.Protocols.some((own) => own.toLowerCase() === name);
  const isUnknown = record.Protocols.length === 0 && protocols.includes('unknown');
  if (protocols.length > 0 && !isUnknown && !protocols.some(hasProtocol)) return undefined;
  if (addresses.length === 0) return record;
  if (record.Addrs.length === 0) return addresses.includes('unknown') ? record : undefined;
  const wanted = addresses.filter((name) => !name.startsWith('!'));
  const refused = addresses.filter((name) => name.startsWith('!')).map((name) => name.slice(1));
  const Addrs = record.Addrs.filter((address) => {
    const parts = new Set(protocolsOf(address));
    return !refused.some((name) => parts.has(name)) && (wanted.length === 0 || wanted.some((name) => parts.has(name)));
  });
  return Addrs.length === 0 ? undefined : { ...record, Addrs };
}

/** Protocols of a multiaddress without a value, such as `quic-v1`, and of those with one. */
function protocolsOf(address: string): readonly string[] {
  return address.toLowerCase().split('/');
}
