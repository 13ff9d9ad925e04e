import { integer, oneOf, optional } from '../domains.mjs';

/** Peer ID of an Ed25519 key, in its two encodings. */
const peers = [
  '12D3KooWGC6TvWhfapngX6wvJHMYvKpDMXPb3ZnCZ6dMoaMtimQ5',
  'k51qzi5uqu5dj2c294cadv64kvtqvcpe37m5lw1wsymf8mjm5k5ym8x5xxsrks',
];
/** Address of the documentation network (RFC 5737): no connection succeeds. */
const address = `/ip4/192.0.2.1/tcp/4001/p2p/${peers[0]}`;

/** Characters of all arguments: a longer request target is refused. */
const argumentCharactersMax = 12_000;

const texts = (...values) => oneOf('', 'x', 'x'.repeat(12_000), `k${'k'.repeat(4_000)}`, '🚀'.repeat(900), ...values);

function ofTexts(domain, { argsMax = 1_100 } = {}) {
  return {
    genes: { text: domain, args: optional(integer(1, argsMax), 0.2) },
    args: ({ text, args = 1 }) =>
      Array(Math.max(1, Math.min(args, Math.floor(argumentCharactersMax / (text.length + 6))))).fill(text),
  };
}

const ofPeers = ofTexts(texts(...peers, `/p2p/${peers[0]}`, address));
const ofAddresses = ofTexts(
  texts(address, `/dns4/${'a.'.repeat(120)}invalid/tcp/1/p2p/${peers[0]}`, `${address}/p2p-circuit`.repeat(100)),
);
const ofFilters = ofTexts(texts('/ip4/192.0.2.0/ipcidr/24', '/ip6/2001:db8::/ipcidr/32', '/ip4/0.0.0.0/ipcidr/0'));
const ofNames = ofTexts(texts(...peers, `/ipns/${peers[1]}`, `/ipns/${'a.'.repeat(120)}invalid/${'a/'.repeat(5_000)}`));
const ofRecords = ofTexts(texts(`/ipns/${peers[0]}`, `/pk/${peers[0]}`, '/ipns/'), { argsMax: 3 });
const ofKeys = ofTexts(texts('self', 'worst', 'n'.repeat(255), '../x'), { argsMax: 3 });

/**
 * Arguments and body of the commands of the peer, of keys and of names.
 * @param {{ nothing: object, ofDag: object, form: (name: string) => object }} kinds of requests of all commands
 */
export function networkRequests({ nothing, ofDag, form }) {
  const withForm = (kind, name) => ({ ...form(name), ...kind, genes: { ...form(name).genes, ...kind.genes } });
  return {
    'bitswap/ledger': ofPeers,
    'bitswap/reprovide': nothing,
    'bitswap/stat': nothing,
    'bitswap/wantlist': nothing,
    bootstrap: nothing,
    'bootstrap/add': ofAddresses,
    'bootstrap/list': nothing,
    'bootstrap/rm': ofAddresses,
    'bootstrap/rm/all': nothing,
    'dht/query': ofPeers,
    'key/gen': ofKeys,
    'key/import': withForm(ofKeys, 'key'),
    'key/list': nothing,
    'key/ls': nothing,
    'key/rename': {
      genes: { ...ofKeys.genes, other: ofKeys.genes.text },
      args: ({ text, other }) => [text, other],
    },
    'key/rm': ofKeys,
    'key/sign': form('data'),
    'key/verify': form('data'),
    'name/get': ofNames,
    'name/inspect': form('record'),
    'name/publish': ofDag,
    'name/put': withForm(ofNames, 'record'),
    'name/resolve': ofNames,
    ping: ofPeers,
    'provide/once': ofDag,
    'provide/stat': nothing,
    'routing/findpeer': ofPeers,
    'routing/findprovs': ofDag,
    'routing/get': ofRecords,
    'routing/provide': ofDag,
    'routing/put': withForm(ofRecords, 'value-file'),
    'routing/reprovide': nothing,
    'stats/bitswap': nothing,
    'stats/dht': nothing,
    'stats/provide': nothing,
    'stats/reprovide': nothing,
    'swarm/addrs': nothing,
    'swarm/addrs/autonat': nothing,
    'swarm/addrs/listen': nothing,
    'swarm/addrs/local': nothing,
    'swarm/connect': ofAddresses,
    'swarm/disconnect': ofAddresses,
    'swarm/filters': nothing,
    'swarm/filters/add': ofFilters,
    'swarm/filters/rm': ofFilters,
    'swarm/peering/add': ofAddresses,
    'swarm/peering/ls': nothing,
    'swarm/peering/rm': ofPeers,
    'swarm/peers': nothing,
    'swarm/resources': nothing,
    'version/check': nothing,
  };
}
