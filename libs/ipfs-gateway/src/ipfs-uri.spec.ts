import { expect, test } from '@jest/globals';
import { ipfsUri } from './ipfs-uri.ts';

const root = 'bafybeig675grnxcmshiuzdaz2xalm6ef4thxxds6o6ypakpghm5kghpc34';
const key = 'k51qzi5uqu5dlxdsdu5fpuu7h69wu4ohp32iwm9pdt9nq3y5rpn3ln9j12zfhe';

test.each([
  // Vectors of IPIP-548.
  ['ipfs', root, '', `ipfs://${root}`],
  ['ipfs', root, '/', `ipfs://${root}/`],
  ['ipfs', root, '/sub dir/', `ipfs://${root}/sub%20dir/`],
  ['ipfs', root, '/100% sure.txt', `ipfs://${root}/100%25%20sure.txt`],
  ['ipfs', root, '/a#b?c.txt', `ipfs://${root}/a%23b%3Fc.txt`],
  ['ipfs', root, "/file!'()*~.txt", `ipfs://${root}/file%21%27%28%29%2A~.txt`],
  ['ipfs', root, '/emoji🚀.txt', `ipfs://${root}/emoji%F0%9F%9A%80.txt`],
  [
    'ipfs',
    root,
    '/Portugal%2C+España=Peninsula Ibérica.txt',
    `ipfs://${root}/Portugal%252C%2BEspa%C3%B1a%3DPeninsula%20Ib%C3%A9rica.txt`,
  ],
  [
    'ipfs',
    'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
    '/x',
    'ipfs://bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354/x',
  ],
  ['ipns', key, '/root2/', `ipns://${key}/root2/`],
  ['ipns', '12D3KooWRL2ppK37M2ih6xGfufWVa15jqAcgeQ8ZvoAUJFAfbueZ', '', `ipns://${key}`],
  ['ipns', 'Docs.Example.org', '/a', 'ipns://docs.example.org/a'],
  ['ipns', 'intranet', '/', undefined],
  ['ipfs', 'nonsense', '/', undefined],
] as const)('the URI of /%s/%s%s is %s', (namespace, name, below, uri) =>
  expect(ipfsUri({ namespace, root: name, below, urlPath: '' })).toBe(uri),
);
