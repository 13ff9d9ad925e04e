import type { EngineName as OwnEngineName } from '@cairn/evm';

/** An engine of `@cairn/evm`, or `ethereumjs`: @ethereumjs/evm, the reference. The others leave it more gas than a double counts. */
export type EngineName = OwnEngineName | 'ethereumjs';
