import type { KZG } from 'micro-eth-signer/kzg.js';
import { loadTrustedSetup } from '#trusted-setup';

let instance: KZG | undefined;
let loading: Promise<void> | undefined;

/** Returns KZG over the trusted setup of the ceremony (EIP-4844). @throws Error before {@link prepareKzg} has resolved */
export function kzg(): KZG {
  if (instance === undefined) throw new Error('KZG is not loaded. Await prepareKzg() first.');
  return instance;
}

/** Resolves when {@link kzg} is ready; `undefined` when it is ready already. The setup is loaded on demand: it takes megabytes. */
export function prepareKzg(): Promise<void> | undefined {
  if (instance !== undefined) return undefined;
  loading ??= load().catch((error: unknown) => {
    // A later call retries.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<void> {
  const [code, setup] = await Promise.all([import('micro-eth-signer/kzg.js'), loadTrustedSetup()]);
  instance = new code.KZG(setup);
}
