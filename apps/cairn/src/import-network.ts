import type { BlockRunner } from '@cairn/block-model';
import { importChain, type LocalNetwork, openChainStore } from '@cairn/chain-store';
import { createBlockRunner } from '@cairn/evm-executor';
import { Presets, SingleBar } from 'cli-progress';
import { chainDirectory } from './networks.ts';
import type { CommandSettings } from './settings.ts';

const lineEveryMs = 2000;

export interface ImportNetworkOptions {
  readonly signal: AbortSignal;
  /** Prints no progress and no result. */
  readonly isQuiet?: boolean;
}

/** Result of an import. */
export interface ImportedNetwork {
  readonly name: string;
  /** Number of new blocks. */
  readonly blocks: number;
  readonly head: { readonly number: bigint; readonly hash: string };
}

/** Imports a network with a progress bar on a terminal, otherwise with a line at intervals. */
export async function importNetwork(
  settings: CommandSettings,
  network: LocalNetwork,
  { signal, isQuiet = false }: ImportNetworkOptions,
): Promise<ImportedNetwork> {
  const store = await openChainStore({ directory: chainDirectory(settings, network) });
  const progress = isQuiet ? quiet : createProgress(network.name);
  try {
    const blocks = await importChain({
      store,
      name: network.name,
      genesis: network.genesis,
      files: network.blocks,
      safe: network.safe,
      finalized: network.finalized,
      runner: await blockRunner(settings.CAIRN_CALL_ENGINE),
      signal,
      onProgress: (state) => {
        if (state.blocks > 0)
          progress.update({
            done: state.bytesDone,
            total: state.bytesTotal,
            block: state.number,
            blocks: state.blocks,
            gas: state.gas,
          });
      },
    });
    progress.stop();
    const { head } = store;
    if (!isQuiet)
      console.log(
        `${network.name}: ${blocks > 0 ? `${blocks} blocks imported and verified, ` : ''}head is block ${head.number} ${head.hash}`,
      );
    return { name: network.name, blocks, head: { number: head.number, hash: head.hash } };
  } finally {
    progress.stop();
    await store.close();
  }
}

async function blockRunner(engine: CommandSettings['CAIRN_CALL_ENGINE']): Promise<BlockRunner> {
  if (engine !== 'ethereumjs') return createBlockRunner(engine);
  return (await import('@cairn/evm-ethereumjs')).createBlockRunner();
}

interface ProgressState {
  readonly done: number;
  readonly total: number;
  readonly block: bigint;
  readonly blocks: number;
  readonly gas: bigint;
}

const quiet = { update(_state: ProgressState) {}, stop() {} };

function createProgress(name: string) {
  const start = performance.now();
  const rates = ({ blocks, gas }: ProgressState) => {
    const seconds = (performance.now() - start) / 1000;
    return { blocksPerSecond: Math.round(blocks / seconds), gasPerSecond: (Number(gas) / 1e6 / seconds).toFixed(1) };
  };
  if (!process.stdout.isTTY) {
    let printedAt = performance.now();
    return {
      update(state: ProgressState) {
        if (performance.now() - printedAt < lineEveryMs) return;
        printedAt = performance.now();
        const { blocksPerSecond, gasPerSecond } = rates(state);
        console.log(
          `${name}: block ${state.block}, ${Math.floor((100 * state.done) / state.total)} %, ${blocksPerSecond} blocks/s, ${gasPerSecond} Mgas/s`,
        );
      },
      stop() {},
    };
  }
  const bar = new SingleBar(
    {
      format: `${name} {bar} {percentage} %  block {block}  {blocksPerSecond} blocks/s  {gasPerSecond} Mgas/s  {eta_formatted} left`,
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 100,
    },
    Presets.shades_classic,
  );
  let isStarted = false;
  return {
    update(state: ProgressState) {
      const payload = { block: state.block.toString(), ...rates(state) };
      if (!isStarted) bar.start(state.total, state.done, payload);
      isStarted = true;
      bar.update(state.done, payload);
    },
    stop() {
      if (isStarted) bar.stop();
      isStarted = false;
    },
  };
}
