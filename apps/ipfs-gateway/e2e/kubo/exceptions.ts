import type { Answer } from './answer.ts';
import type { GatewayCase } from './gateway-case.ts';

/** Difference between both gateways that is intended. */
interface Exception {
  readonly reason: string;
  /** Fields that may differ. Absent: the whole response. */
  readonly fields?: readonly string[];
  readonly applies: (asked: GatewayCase, ours: Answer, kubo: Answer) => boolean;
}

const errorStatus = /^[45]/;

const exceptions: readonly Exception[] = [
  {
    reason:
      'a block that cannot be the requested representation is not acceptable (IPIP-524), not a fault of the server',
    applies: (_, ours, kubo) => ours.status === '406' && errorStatus.test(kubo.status ?? ''),
  },
  {
    reason: 'a block that does not decode, or is not here, is not a fault of the server',
    applies: (_, ours, kubo) => /^(?:404|422)$/.test(ours.status ?? '') && kubo.status === '500',
  },
  {
    reason: 'a CAR of a missing block is not found (Trustless Gateway, 404), where Kubo sends an empty one',
    applies: (_, ours, kubo) =>
      ours.status === '404' && kubo.status === '200' && /vnd\.ipld\.car/.test(kubo['content-type'] ?? ''),
  },
  {
    reason: '`entity-bytes` implies `dag-scope=entity` (Trustless Gateway)',
    fields: ['body'],
    applies: ({ path }) => path.includes('entity-bytes') && !path.includes('dag-scope'),
  },
  {
    reason: 'a document that is not valid CBOR is served as it is stored',
    applies: (_, __, kubo) => kubo.status === '500',
  },
  {
    reason: 'a CAR with a block that does not decode has no end',
    fields: ['isCut', 'body'],
    applies: ({ path }, ours) => path.includes('format=car') && ours.isCut === 'true',
  },
  {
    reason: 'HEAD has the status and the fields of GET (RFC 9110, 9.3.2)',
    applies: ({ method }, ours, kubo) =>
      method === 'HEAD' && (kubo.etag === undefined || kubo.status === '500') && ours.status !== '500',
  },
  {
    reason: 'a suffix of no bytes cannot be satisfied (RFC 9110, 14.1.2)',
    applies: ({ headers }) => headers?.range === 'bytes=-0',
  },
  {
    reason: 'Kubo cuts a range list whose first range is beyond the end',
    applies: (_, __, kubo) => kubo.isCut === 'true',
  },
  {
    reason: 'media types ignore case (RFC 9110, 8.3.1)',
    applies: ({ headers }) => headers?.accept === 'APPLICATION/VND.IPLD.RAW',
  },
  {
    reason: 'the weight of a media type is no parameter of the content',
    fields: ['content-location'],
    applies: ({ headers }) => /;q=/.test(headers?.accept ?? ''),
  },
  {
    reason: 'a field is ASCII: the path of the location stays encoded',
    fields: ['content-location', 'location'],
    applies: ({ path }) => /%[0-9A-F]{2}/.test(path),
  },
  {
    reason: 'an unknown type is refused before the path is read',
    fields: ['x-ipfs-path'],
    applies: ({ headers }) => headers?.accept === 'application/vnd.ipld.unknown',
  },
  {
    reason: '`download=true` applies without a file name',
    fields: ['content-disposition'],
    applies: ({ path }) => path.endsWith('?download=true'),
  },
  {
    reason: 'the time of the request is no modification time of a name',
    fields: ['last-modified'],
    applies: (_, ours) => ours['last-modified'] === undefined,
  },
  { reason: 'host names ignore case', applies: ({ host }) => host === 'EXAMPLE.com' },
  { reason: '`uri` is a parameter of /ipfs/ and /ipns/ only', applies: ({ path }) => path.endsWith('/?uri=x') },
  {
    reason: 'paths of Kubo beside content',
    applies: ({ path, host = '' }) =>
      ['/version', '/ipfs', '/ipns', '/routing/v1/providers/x'].includes(path) && !/\.ip[fn]s\.|site/.test(host),
  },
  {
    reason: 'a method is checked before the path',
    applies: ({ path, method }) => path === '/' && method !== undefined,
  },
  { reason: '`..` leaves a directory (RFC 3986, 5.2.4)', applies: ({ path }) => /\/(?:\.\.|%2e%2e\/x)$/.test(path) },
  {
    reason: 'only-if-cached is one of several directives',
    applies: ({ headers }) => /,/.test(headers?.['cache-control'] ?? ''),
  },
  {
    reason: 'types by IANA, where Kubo reads the file of the operating system, and WebM by its first bytes',
    fields: ['content-type'],
    applies: ({ path }) => /\.(?:ts|log)$|webm-without-extension$/.test(path),
  },
  {
    reason: 'Kubo sends no caching for pages of linked documents',
    fields: ['cache-control'],
    applies: ({ path }) => path.endsWith('/link/'),
  },
  {
    reason: 'a NUL stands for itself in no field',
    fields: ['x-ipfs-path'],
    applies: ({ path }) => path.endsWith('/%00'),
  },
  {
    reason: 'blocks are sent without being decoded',
    fields: ['body'],
    applies: ({ path }) => path.includes('dag-scope=block'),
  },
];

/** Returns the differences of two answers that no exception explains. */
export function differencesOf(asked: GatewayCase, ours: Answer, kubo: Answer): string[] {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(kubo)])].filter((name) => ours[name] !== kubo[name]);
  const applying = names.length === 0 ? [] : exceptions.filter(({ applies }) => applies(asked, ours, kubo));
  return names
    .filter((name) => !applying.some(({ fields }) => fields === undefined || fields.includes(name)))
    .map((name) => `${name}: ${ours[name] ?? 'none'}; Kubo: ${kubo[name] ?? 'none'}`.slice(0, 600));
}
