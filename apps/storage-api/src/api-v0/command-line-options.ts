import type { OptionSpecs } from './options.ts';

const flag = { kind: 'boolean' } as const;
const fastProvide = { 'fast-provide-root': flag, 'fast-provide-dag': flag, 'fast-provide-wait': flag } as const;
const number32 = { kind: 'integer', min: -(2 ** 31), max: 2 ** 31 - 1 } as const;

/**
 * Options that concern Kubo's command line or its network only. Their values are checked, so that a request that
 * Kubo refuses is refused here.
 */
export const commandLineOptions: Readonly<Record<string, OptionSpecs>> = {
  add: {
    'dereference-args': flag,
    'dereference-symlinks': flag,
    'stdin-name': { kind: 'text' },
    'ignore-rules-path': { kind: 'text' },
  },
  cat: { progress: flag },
  get: { progress: flag, output: { kind: 'text', alias: 'o' } },
  ls: { headers: flag, long: flag },
  'files/ls': { U: flag },
  resolve: { 'dht-record-count': number32, 'dht-timeout': { kind: 'text' } },
  'dag/import': fastProvide,
  'pin/add': fastProvide,
  'pin/update': fastProvide,
  'files/stat': { hash: flag, size: flag },
  'object/patch/add-link': { 'allow-non-unixfs': flag },
  'object/patch/rm-link': { 'allow-non-unixfs': flag },
};
