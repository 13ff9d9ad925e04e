import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesFromHex, type Hex, hexFromBytes, parseGethGenesis } from '@cairn/block-model';
import { recordedExchanges } from '@cairn/block-model/testing';
import { verifyBlock, verifyCall, verifyLogs } from '@cairn/verify';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call, conformance, type Gateway, startGateway } from './gateway.ts';

// Every recorded call and log query of the public suites, answered with a witness and verified.
const chainDirectory = join(conformance, 'execution-apis');
const isThere = existsSync(join(chainDirectory, 'chain.rlp'));
const entry = {
  name: 'execution-apis',
  hosts: ['*'],
  genesis: join(chainDirectory, 'genesis.json'),
  blocks: [join(chainDirectory, 'chain.rlp')],
  requireFrom: false,
};
const folders = ['execution-apis/eth_call', 'eth-call-rules/eth_call', 'eth-call-precompiles/eth_call'];

if (!isThere) test.skip(`skipped: no conformance data in ${conformance}`, () => {});

(isThere ? describe : describe.skip)('witnesses of recorded requests', () => {
  const { spec: chain } = parseGethGenesis('hive', JSON.parse(readFileSync(entry.genesis, 'utf8')));
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ networks: [entry] });
  });
  afterAll(() => gateway?.stop());

  const ask = async <T>(method: string, params: readonly unknown[]) =>
    (await call(gateway.url, method, params)).result as T;

  test.each(folders)('every call of %s verifies and has the recorded result', async (folder) => {
    let verified = 0;
    for (const { name, request } of recordedExchanges(folder)) {
      const [message, block, stateOverrides, blockOverrides] = request.params;
      const { result: given, error } = await call(gateway.url, 'eth_call', request.params);
      const answer = await ask<{ blockHash: Hex; result?: Hex; error?: { message: string }; witness: Hex } | undefined>(
        'cairn_call',
        request.params,
      );
      // Requests with wrong parameters have no witness.
      if (answer === undefined) {
        expect({ name, error }).toMatchObject({ name, error: expect.anything() });
        continue;
      }
      expect({ name, block, result: answer.result }).toEqual({ name, block, result: given });
      const wanted = { call: message, stateOverrides, blockOverrides };
      const { result } = await verifyCall(answer.witness, { blockHash: answer.blockHash, chain, message: wanted });
      expect({ name, isSuccess: result.kind === 'success' }).toEqual({ name, isSuccess: error === undefined });
      verified++;
    }
    expect(verified).toBeGreaterThan(1);
  });

  test('logs of blocks verify; a block with 10 MB of receipts is above the limit', async () => {
    const filter = { fromBlock: '0x3', toBlock: '0x36' };
    type LogsAnswer = { readonly blockHash: Hex; readonly logs: readonly unknown[]; readonly witness: Hex };
    const { blockHash, logs, witness } = await ask<LogsAnswer>('cairn_getLogs', [filter]);
    expect(logs.length).toBeGreaterThan(10);
    expect(logs).toEqual(await ask('eth_getLogs', [filter]));
    expect(verifyLogs(witness, { blockHash, query: {}, from: 3n, to: 54n, chain })).toEqual(logs);
    const { error } = await call(gateway.url, 'cairn_getLogs', [{ fromBlock: '0x2', toBlock: '0x2' }]);
    expect(error?.message).toMatch(/witness of more than 8388608 bytes/);
  });

  test('every block verifies in JSON and in RLP', async () => {
    for (let height = 0; height <= 54; height++) {
      const number = `0x${height.toString(16)}`;
      const raw = await ask<Hex>('debug_getRawBlock', [number]);
      const json = await ask<{ hash: Hex; uncles: readonly unknown[] }>('eth_getBlockByNumber', [number, true]);
      const block = verifyBlock(bytesFromHex(raw), { blockHash: json.hash });
      expect(verifyBlock(json as never, { blockHash: json.hash, uncles: block.uncles })).toEqual(block);
      expect(hexFromBytes(block.header.raw)).toBe(await ask('debug_getRawHeader', [number]));
    }
  });
});
