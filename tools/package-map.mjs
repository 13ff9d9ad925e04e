/**
 * Allowed imports between packages of the workspace. A package imports only packages of rows above it, so there are no cycles.
 * `check-boundaries.mjs` enforces the map; ARCHITECTURE.md explains it.
 */
export const packageMap = {
  errors: [],
  platform: ['errors'],
  'embedded-store': ['errors', 'platform'],
  postgres: ['errors'],
  'object-store': ['errors'],
  redis: ['errors'],
  cid: ['errors', 'platform'],
  blockstore: ['errors', 'platform', 'embedded-store', 'cid'],
  'pack-store': ['errors', 'embedded-store', 'postgres', 'object-store', 'cid', 'blockstore'],
  denylist: ['errors', 'platform', 'cid', 'blockstore'],
  unixfs: ['errors', 'platform', 'cid', 'blockstore'],
  'public-http': ['errors'],
  'block-exchange': ['errors', 'platform', 'cid', 'blockstore', 'public-http'],
  'peer-api': ['errors', 'cid', 'blockstore', 'block-exchange'],
  bitswap: ['errors', 'cid', 'blockstore', 'block-exchange'],
  'ipfs-peer': ['errors', 'platform', 'cid', 'blockstore', 'block-exchange', 'peer-api', 'bitswap'],
  pinning: ['errors', 'embedded-store', 'postgres', 'cid', 'blockstore', 'unixfs'],
  dag: ['errors', 'platform', 'cid', 'blockstore', 'unixfs'],
  ipns: ['errors', 'platform', 'embedded-store', 'postgres', 'cid', 'dag'],
  providing: ['errors', 'embedded-store', 'postgres', 'cid', 'block-exchange', 'ipns'],
  'ipfs-gateway': ['errors', 'cid', 'blockstore', 'unixfs', 'pinning', 'dag', 'ipns'],
  mfs: ['errors', 'platform', 'embedded-store', 'postgres', 'cid', 'blockstore', 'unixfs'],
  upstream: ['errors', 'platform'],
  'light-client': ['errors', 'platform'],
  'jsonrpc-core': ['errors', 'platform'],
  rlp: ['errors'],
  trie: ['errors', 'platform', 'cid', 'rlp'],
  'block-model': ['errors', 'platform', 'cid', 'rlp', 'trie'],
  'proven-state': ['errors', 'platform', 'embedded-store', 'cid', 'rlp', 'trie', 'upstream', 'block-model'],
  'proven-chain': ['errors', 'cid', 'rlp', 'trie', 'upstream', 'block-model', 'proven-state'],
  'chain-store': ['errors', 'embedded-store', 'object-store', 'cid', 'upstream', 'rlp', 'trie', 'block-model'],
  'evm-compiler': [],
  evm: ['errors', 'platform', 'trie', 'block-model', 'evm-compiler'],
  'evm-ethereumjs': ['platform', 'cid', 'block-model', 'evm'],
  // evm-ethereumjs is an optional peer, imported on demand only: release/rehearse.spec.mjs runs calls without it.
  'evm-executor': ['errors', 'platform', 'trie', 'block-model', 'evm', 'evm-ethereumjs'],
  verify: [
    'errors',
    'platform',
    'cid',
    'blockstore',
    'unixfs',
    'dag',
    'rlp',
    'trie',
    'block-model',
    'evm',
    'evm-executor',
  ],
  auth: ['errors', 'embedded-store', 'postgres'],
  metering: ['errors', 'embedded-store', 'postgres', 'redis'],
  billing: ['errors', 'embedded-store', 'postgres', 'auth', 'metering'],
  stores: [
    'errors',
    'postgres',
    'redis',
    'object-store',
    'pack-store',
    'auth',
    'billing',
    'blockstore',
    'ipns',
    'metering',
    'mfs',
    'pinning',
    'providing',
  ],
  'service-kit': ['errors', 'platform'],
};

/** Packages that only the tests of a package may import beyond its row: oracles, which do not import it. */
export const testPackageMap = {
  stores: ['cid'],
  'chain-store': ['evm-ethereumjs'],
  'pack-store': ['pinning'],
  'proven-chain': ['chain-store', 'evm-executor'],
  providing: ['bitswap'],
};

/** Packages that only Nest modules, `service-kit` and apps may import. */
export const frameworkPackages = [/^@nestjs\//, /^rxjs/, /^reflect-metadata$/, /^express$/];

/** Packages that a framework-free core must not import: it reports through return values and events. */
export const coreForbidden = [/^pino/, /^(node:)?http2?$/, /^(node:)?https$/];
