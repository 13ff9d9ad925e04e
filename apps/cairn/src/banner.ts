import { existsSync, readFileSync } from 'node:fs';
import { sampleNetworkFile } from '@cairn/service-kit';
import type { DemoAccount } from './demo-account.ts';
import type { CommandSettings } from './settings.ts';

/** Addresses of the services. */
export interface Addresses {
  readonly storage: string;
  readonly gateway: string;
  /** IPFS gateway. */
  readonly ipfs: string;
  readonly console: string;
}

/** Address of a service that listens on a port, as this machine reaches it. */
export function addressOf({ tls, CAIRN_BIND }: CommandSettings, port: number): string {
  const scheme = tls ? 'https' : 'http';
  // A service on all addresses is always reachable over loopback from here.
  const host = ['0.0.0.0', '::'].includes(CAIRN_BIND)
    ? '127.0.0.1'
    : CAIRN_BIND.includes(':')
      ? `[${CAIRN_BIND}]`
      : CAIRN_BIND;
  return `${scheme}://${host}:${port}`;
}

/** Output for a person who starts: addresses, key and lines to paste. */
export function banner(
  settings: CommandSettings,
  { storage, gateway, ipfs, console: pages }: Addresses,
  { key: { id, secret }, operator }: DemoAccount,
): string[] {
  const shownSecret = secret ?? '<SECRET>';
  const curl = settings.tls ? 'curl -sk' : 'curl -s';
  const rpc = (method: string, params: readonly unknown[]) =>
    `${curl} ${gateway}/v3/${id} -H 'content-type: application/json' -d '${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}'; echo`;
  const sample = readSample(settings);
  return [
    '',
    `Storage API   ${storage}/api/v0`,
    `JSON-RPC      ${gateway}/v3/${id}`,
    `WebSocket     ${gateway.replace(/^http/, 'ws')}/ws/v3/${id}`,
    `IPFS gateway  ${ipfs}`,
    `Console       ${pages}`,
    '',
    `API key       ${id}`,
    secret === undefined
      ? `Secret        was shown at the first start; a new one: npm run cairn -- key rotate ${id}`
      : `Secret        ${secret}   (shown this once)`,
    `Operator      ${operator.email}`,
    operator.password === undefined
      ? `Password      was shown at the first start; a new one: npm run cairn -- member password ${operator.email}`
      : `Password      ${operator.password}   (shown this once)`,
    '',
    'Paste to try:',
    `  echo 'hello cairn' | ${curl} -u ${id}:${shownSecret} -F 'file=@-;filename=hello.txt' ${storage}/api/v0/add`,
    `  ${curl} -u ${id}:${shownSecret} -X POST '${storage}/api/v0/cat?arg=${helloCid}'`,
    `  ${curl} -u ${id}:${shownSecret} ${ipfs}/ipfs/${helloCid}`,
    `  ${sample ? rpc('eth_getBlockByHash', [sample.head, false]) : rpc('eth_getBlockByNumber', ['latest', false])}`,
    `  ${sample ? rpc('eth_call', [sample.call, 'latest']) : rpc('eth_getBalance', [zeroAddress, 'latest'])}`,
    '',
    'Ctrl-C stops.',
  ];
}

/** An account that every chain can be asked for: absent or not, its balance is proven. */
const zeroAddress = `0x${'00'.repeat(20)}`;

/** CID of the content that the first line adds. */
const helloCid = 'QmS63Af67cKqtAnUwWuB98aNqHFc7YgjbKG7b3HRQPMzEK';

/** A block and a call of the sample network, when that network is served. */
function readSample({ CAIRN_NETWORKS }: CommandSettings) {
  const sampleContractsFile = sampleNetworkFile(import.meta.url, 'contracts.json');
  if (CAIRN_NETWORKS !== undefined || !existsSync(sampleContractsFile)) return undefined;
  const { head, accounts, contracts } = JSON.parse(readFileSync(sampleContractsFile, 'utf8')) as SampleFile;
  const { address, selectors } = contracts.Token;
  const data = `0x${selectors['balanceOf(address)']}${accounts.alice.slice(2).padStart(64, '0')}`;
  return { head, call: { from: accounts.alice, to: address, data } };
}

interface SampleFile {
  readonly head: string;
  readonly accounts: { readonly alice: string };
  readonly contracts: {
    readonly Token: { readonly address: string; readonly selectors: { readonly 'balanceOf(address)': string } };
  };
}
