import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import snappy from 'snappyjs';
import type { LightClientUpdate } from './light-client-data.ts';
import { LightClientStore } from './light-client-store.ts';
import { BeaconClock, type BeaconNetwork, beaconNetwork } from './network.ts';
import { parseBootstrap, parseUpdate } from './parse-beacon.ts';
import { beaconHeaderRoot, executionHeaderRoot } from './roots.ts';
import { bootstrapJson, updateJson } from './ssz-data.fixture.ts';

const directory = join(import.meta.dirname, '../../../../shared/conformance/light-client');
const isPresent = existsSync(directory);
if (!isPresent) console.log('skipped: the light client data of ../shared/conformance is not here');
const describeData = isPresent ? describe : describe.skip;

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));
const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const json = (...path: string[]) => JSON.parse(readFileSync(join(directory, ...path), 'utf8'));

describeData('mainnet data of August 2023', () => {
  const clock = new BeaconClock(beaconNetwork('mainnet'));
  const currentSlot = 7_111_000;
  const load = () => ({
    bootstrap: json('mainnet', 'bootstrap.json'),
    updates: json('mainnet', 'updates.json') as object[],
    checkpoint: '0x5afc212a7924789b2bc86acad3ab3a6ffb1f6e97253ea50bee7f4f51422c9275',
  });
  const start = () => {
    const { bootstrap, checkpoint } = load();
    return LightClientStore.fromBootstrap(clock, bytesOf(checkpoint), parseBootstrap(bootstrap, 512));
  };

  test('the signing domains are those of the recorded forks', () => {
    for (const { epoch, syncCommitteeDomain, name } of json('mainnet', 'facts.json').forks)
      if (name !== 'phase0') expect(hexOf(clock.domain(epoch * 32 + 1))).toBe(syncCommitteeDomain);
  });

  test('the bootstrap of another block is refused', () => {
    const { bootstrap } = load();
    expect(() => LightClientStore.fromBootstrap(clock, new Uint8Array(32), parseBootstrap(bootstrap, 512))).toThrow(
      expect.objectContaining({ code: 'CHECKPOINT_INVALID' }),
    );
  });

  test('the updates apply in order', async () => {
    const store = start();
    expect(store.state.finalizedHeader.execution.blockNumber).toBe(17_883_333n);
    for (const update of load().updates) await store.process(parseUpdate(update, 512), currentSlot);
    expect(clock.period(store.state.finalizedHeader.beacon.slot)).toBe(864);
    expect(store.state.nextSyncCommittee).toBeDefined();
  });

  test('an update is refused a second time, out of order, and before its signature slot', async () => {
    const store = start();
    const [first, second, third] = load().updates.map((update) => parseUpdate(update, 512)) as LightClientUpdate[];
    await expect(store.process(third as LightClientUpdate, currentSlot)).rejects.toMatchObject({
      code: 'UPDATE_INVALID',
    });
    await store.process(first as LightClientUpdate, currentSlot);
    const { state } = store;
    for (const [update, slot] of [
      [first, currentSlot],
      [second, (second?.signatureSlot ?? 0) - 1],
    ] as const)
      await expect(store.process(update as LightClientUpdate, slot)).rejects.toMatchObject({ code: 'UPDATE_INVALID' });
    expect(store.state).toBe(state);
  });

  test('any changed digit of bootstrap and update is refused, except of the signature slot', async () => {
    const { bootstrap, updates, checkpoint } = load();
    const { state } = start();
    // The signature slot selects the period and the fork only; neighbouring slots are equal to it.
    const { data, ...rest } = updates[0] as { readonly data: { readonly signature_slot: string } };
    const { signature_slot, ...signed } = data;
    const original = JSON.stringify({ ...rest, data: signed });
    const parse = (text: string) => {
      const update = JSON.parse(text);
      return parseUpdate({ ...update, data: { ...update.data, signature_slot } }, 512);
    };
    // Texts that carry data; `version` only selects a decoder elsewhere.
    const places = (text: string) =>
      [...text.matchAll(/"(0x[0-9a-f]+|\d+)"/g)].flatMap(({ index, 0: match }) =>
        Array.from({ length: match.length - 2 }, (_, i) => index + 1 + i).filter(
          (at) => /[0-9a-f]/.test(text[at] ?? '') && text[at + 1] !== 'x',
        ),
      );
    const changed = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1);
    const updatePlaces = places(original);
    const boot = JSON.stringify(bootstrap);
    const bootPlaces = places(boot);
    await fc.assert(
      fc.asyncProperty(fc.nat(updatePlaces.length - 1), fc.nat(bootPlaces.length - 1), async (i, j) => {
        const store = new LightClientStore(clock, state);
        const process = async () => store.process(parse(changed(original, updatePlaces[i] as number)), currentSlot);
        await expect(process()).rejects.toMatchObject({
          code: expect.stringMatching(/^(UPDATE|BEACON_ANSWER)_INVALID$/),
        });
        expect(store.state).toBe(state);
        const begin = () =>
          LightClientStore.fromBootstrap(
            clock,
            bytesOf(checkpoint),
            parseBootstrap(JSON.parse(changed(boot, bootPlaces[j] as number)), 512),
          );
        expect(begin).toThrow(
          expect.objectContaining({ code: expect.stringMatching(/^(CHECKPOINT|BEACON_ANSWER)_INVALID$/) }),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describeData('vectors of the consensus specification, minimal preset', () => {
  const root = join(directory, 'spec-minimal');
  const cases = isPresent
    ? readdirSync(root).flatMap((fork) => readdirSync(join(root, fork)).map((name) => [fork, name]))
    : [];

  test.each(cases)('%s: %s', async (fork = '', name = '') => {
    const isElectra = fork === 'electra';
    const text = (file: string) => readFileSync(join(root, fork, name, file), 'utf8');
    const data = (file: string) =>
      Buffer.from(snappy.uncompress(readFileSync(join(root, fork, name, `${file}.ssz_snappy`))));
    const setting = (source: string, key: string) => new RegExp(`${key}: '?(0x[0-9a-f]+|\\d+)`).exec(source)?.[1] ?? '';
    const config = text('config.yaml');
    const forks = (['altair', 'bellatrix', 'capella', 'deneb', 'electra', 'fulu'] as const).flatMap((one) => {
      const [epoch, version] = ['EPOCH', 'VERSION'].map((key) => setting(config, `${one.toUpperCase()}_FORK_${key}`));
      return version === '' || Number(epoch) > 1e9
        ? []
        : [{ name: one, epoch: Number(epoch), version: version as string }];
    });
    const network: BeaconNetwork = {
      name: 'minimal',
      chainId: 0n,
      genesisTime: 0,
      genesisValidatorsRoot: setting(text('meta.yaml'), 'genesis_validators_root'),
      secondsPerSlot: 6,
      slotsPerEpoch: 8,
      epochsPerPeriod: 8,
      committeeSize: 32,
      forks,
    };
    const clock = new BeaconClock(network);
    const bootstrap = parseBootstrap(bootstrapJson(data('bootstrap'), 32, isElectra), 32);
    const store = LightClientStore.fromBootstrap(
      clock,
      bytesOf(setting(text('meta.yaml'), 'trusted_block_root')),
      bootstrap,
    );
    const steps = text('steps.yaml').split(/^- /m).slice(1);
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) {
      const slot = Number(setting(step, 'current_slot'));
      const file = /update: (update_\w+)/.exec(step)?.[1];
      if (file === undefined) store.forceUpdate(slot);
      else await store.process(parseUpdate(updateJson(data(file), 32, isElectra), 32), slot);
      for (const kind of ['finalized', 'optimistic'] as const) {
        const expected = step.slice(step.indexOf(`${kind}_header:`));
        const { beacon, execution } = store.state[`${kind}Header`];
        expect({
          slot: beacon.slot,
          beacon: hexOf(beaconHeaderRoot(beacon)),
          execution: hexOf(executionHeaderRoot(execution, clock.has(beacon.slot, 'deneb'))),
        }).toEqual({
          slot: Number(setting(expected, 'slot')),
          beacon: setting(expected, 'beacon_root'),
          execution: setting(expected, 'execution_root'),
        });
      }
    }
  });
});
