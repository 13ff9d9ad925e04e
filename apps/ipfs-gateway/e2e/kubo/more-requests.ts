import type { Fixtures } from './fixtures.ts';
import type { GatewayCase } from './gateway-case.ts';

/** Requests of archives, with every parameter. */
export function cars(cids: Fixtures): GatewayCase[] {
  const { tree, old, hamt, cbor, json } = cids;
  const paths = [
    ...['', '/', '/text.txt', '/big.bin', '/with-index', '/deep/a/b', '/no-such', '/deep/no-such/x'].map(
      (name) => tree + name,
    ),
    ...[
      `${old}/big.bin`,
      hamt,
      `${hamt}/${'long name '.repeat(9)}7.txt`,
      cbor,
      `${cbor}/link`,
      `${cbor}/file/text.txt`,
    ],
    ...[
      `${cbor}/number`,
      `${json}/link`,
      `${cids.missing}`,
      `${cids.identity}`,
      `${cids.plainJson}`,
      `${cids.brokenPb}`,
    ],
  ].map((path) => `/ipfs/${encodeURI(path ?? '')}?format=car`);
  const parameters = [
    ...[
      '',
      'dag-scope=block',
      'dag-scope=entity',
      'dag-scope=all',
      'dag-scope=x',
      'car-dups=y',
      'car-dups=n',
      'car-dups=x',
    ],
    ...['car-order=dfs', 'car-order=unk', 'car-order=x', 'car-version=1', 'car-version=2', 'entity-bytes=0:*'],
  ];
  const bytes = [
    '0:0',
    '5:10',
    '-5:*',
    '-5:-2',
    '0:-1',
    '1048576:1048577',
    '1048575:1048576',
    '0:99999999',
    '99999999:*',
    '5:2',
    'x',
    '-2:-5',
    '1:',
    ':1',
    '*:*',
    '0:*:1',
  ];
  return paths.flatMap((path) => [
    ...parameters.map((parameter) => ({ path: `${path}&${parameter}` })),
    ...bytes.map((range) => ({ path: `${path}&dag-scope=entity&entity-bytes=${range}` })),
    { path: `${path}&entity-bytes=5:10` },
    { path: `${path}&dag-scope=block&entity-bytes=5:10` },
  ]);
}

/** Requests of paths within documents. */
export function dags(cids: Fixtures): GatewayCase[] {
  const paths = [
    'link',
    'link/',
    'nested/link',
    'nested',
    'number',
    'list/1/deep',
    'list/1/deep/text.txt',
    'list/9',
    'none',
    'file/text.txt',
    'file/no-such',
    'link/hello',
    'text/x',
  ];
  return ['cbor', 'json'].flatMap((codec) =>
    paths.flatMap((path) => [
      { path: `/ipfs/${cids[codec]}/${path}` },
      { path: `/ipfs/${cids[codec]}/${path}`, headers: { accept: 'text/html' } },
      { path: `/ipfs/${cids[codec]}/${path}?format=dag-json` },
      { path: `/ipfs/${cids[codec]}/${path}?format=raw` },
    ]),
  );
}

/** Requests of sites with rules of `_redirects`. */
export function sites(cids: Fixtures): GatewayCase[] {
  const { tree } = cids;
  const paths = [
    ...[
      'one',
      'r301',
      'r302',
      'r303',
      'r307',
      'r308',
      'posts/2026/11/x%20y',
      'splat/a/b',
      'splat',
      'query/a?c=d',
      'one?a=b',
      'in/a',
    ],
    ...[
      'page',
      'docs-of/one.html',
      'docs-of/sub',
      'docs-of/none',
      'absent/x',
      'nf/x',
      'gone/x',
      'legal/x',
      'none',
      '',
      'docs',
      'docs/',
      'splat/%C4%85',
    ],
  ];
  const sites = ['site.example.org'];
  return [
    ...paths.flatMap((path) => [
      ...sites.flatMap((host) => [
        { path: `/${path}`, host },
        { path: `/${path}`, host, method: 'HEAD' },
        { path: `/${path}`, host, headers: { range: 'bytes=1-3' } },
        { path: `/${path}`, host, headers: { accept: 'application/vnd.ipld.raw' } },
        { path: `/${path}`, host, headers: { 'if-none-match': '*' } },
      ]),
      { path: `/${path}`, host: 'site-example-org.ipns.example.com' },
      { path: `/${path}`, host: 'site.example.org.ipns.example.com' },
      { path: `/ipns/site.example.org/${path}` },
      { path: `/ipfs/${tree}/site/${path}` },
    ]),
    ...['forced', 'bad-code', 'no-slash', 'only-from', 'star', 'crlf', 'large', 'legacy'].flatMap((name) =>
      ['a', 'c', 'found.html', ''].map((path) => ({ path: `/${path}`, host: `${name}.example.org` })),
    ),
  ];
}

/** Requests of every kind of host name. */
export function hosts(cids: Fixtures): GatewayCase[] {
  const { tree, old, raw, missing } = cids;
  const headers: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-host': 'example.com' },
    { 'x-forwarded-host': 'example.com', 'x-forwarded-proto': 'https' },
  ];
  const paths = [
    ...[
      `/ipfs/${tree}/text.txt`,
      `/ipfs/${tree}`,
      `/ipfs/${tree}/`,
      `/ipfs/${old}/text.txt?a=b`,
      `/ipfs/${raw}`,
      '/ipfs/nonsense',
      '/ipfs/',
      '/ipns/',
    ],
    ...[
      '/ipns/site.example.org/one.html',
      '/ipns/unknown.example.org/',
      '/ipns/nonsense',
      '/',
      '/version',
      '/api/v0/id',
      '/text.txt',
      `/ipfs/${missing}`,
    ],
    ...[
      `/ipns/${tree}`,
      '/ipns/12D3KooWLQzUv2FHWGVPXTXSZpdHs7oHbXub2G5WC8Tx4NQhyd2d',
      '/ipfs/bafkqabtimvwgy3yk',
      `/ipfs/${old}/?uri=x`,
    ],
    ...[
      `/ipfs/?uri=ipfs%3A%2F%2F${tree}`,
      '/ipns/?uri=ipns%3A%2F%2Fexample.org%2Fa%20b',
      '/ipfs/?uri=http%3A%2F%2Fexample.org',
      `/ipfs//${tree}`,
      `/ipfs/${tree}//text.txt`,
    ],
  ];
  const names = [
    ...[
      'example.com',
      'localhost',
      'EXAMPLE.com',
      'example.com:8080',
      'other.example.net',
      'example.com.',
      '127.0.0.1',
      '[::1]:80',
    ],
    ...[
      `${tree}.ipfs.example.com`,
      `${tree}.ipfs.localhost:1234`,
      `${tree}.ipns.example.com`,
      `${old}.ipfs.example.com`,
      `x.ipfs.example.com`,
    ],
    ...[
      'site-example-org.ipns.example.com',
      'site.example.org',
      'site.example.org:8080',
      'unknown-example-org.ipns.example.com',
      'ipfs.example.com',
    ],
  ];
  return names.flatMap((host) => paths.flatMap((path) => headers.map((extra) => ({ path, host, headers: extra }))));
}

/** Methods, conditions of caches, broken content and paths that are no content. */
export function others(cids: Fixtures): GatewayCase[] {
  const { tree } = cids;
  const path = `/ipfs/${tree}/text.txt`;
  return [
    ...['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'].flatMap((method) => [
      { path, method },
      { path: '/', method },
      { path: `/ipfs/${cids.missing}`, method },
      { path, method, headers: { origin: 'https://example.org', 'access-control-request-method': 'GET' } },
    ]),
    ...['only-if-cached', 'no-cache', 'max-age=0, only-if-cached'].flatMap((value) =>
      [path, `/ipfs/${cids.missing}`, `/ipfs/${tree}/no-such`, `/ipfs/${tree}/`, '/ipns/unknown.example.org'].flatMap(
        (one) => [
          { path: one, headers: { 'cache-control': value } },
          { path: one, method: 'HEAD', headers: { 'cache-control': value } },
        ],
      ),
    ),
    ...[`/ipfs/${tree}`, `/ipfs/${tree}/`, `/ipfs/${tree}/text.txt`, '/ipns/site.example.org'].map((one) => ({
      path: one,
      headers: { 'service-worker': 'script' },
    })),
    ...['brokenCbor', 'brokenPb', 'missingPb', 'missing'].flatMap((name) =>
      ['', '?format=raw', '?format=car', '?format=tar', '?format=dag-json', '/a'].map((rest) => ({
        path: `/ipfs/${cids[name]}${rest}`,
      })),
    ),
    ...[
      '',
      'Qm',
      'bafy',
      `${tree}x`,
      tree?.toUpperCase(),
      tree?.slice(0, -1),
      'zdj7',
      '1',
      'f01551200',
      'bafkqaaa',
      'bafkqaaa/x',
      'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
    ].map((root) => ({
      path: `/ipfs/${root}`,
    })),
    ...[
      '/ipfs',
      '/ipns',
      '/ipld/x',
      '/favicon.ico',
      '/robots.txt',
      '/index.html',
      '/webui',
      '/debug/vars',
      '/routing/v1/providers/x',
      '//',
      '/%2e%2e/',
      `/ipfs/${tree}/%2e%2e/x`,
    ].map((one) => ({ path: one })),
  ];
}
