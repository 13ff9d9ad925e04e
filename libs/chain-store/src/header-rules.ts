import type { BlockHeader } from '@ethereumjs/block';
import { Hardfork } from '@ethereumjs/common';

/**
 * What a header must keep of its parent (Yellow Paper, section 4.4.4; EIP-1559, 4844). Proof of work itself is not
 * checked: the hash of each block is, by the one that follows or by the caller.
 * @throws Error that says which rule is broken
 */
export function validateHeader(header: BlockHeader, parent: BlockHeader): void {
  const hold = (field: string, actual: unknown, expected: unknown) => {
    if (actual !== expected) throw new Error(`its ${field} is ${actual}, not ${expected}`);
  };
  hold('number', header.number, parent.number + 1n);
  if (header.timestamp <= parent.timestamp)
    throw new Error(`its timestamp ${header.timestamp} is not above its parent's ${parent.timestamp}`);
  const { common } = header;
  if (common.gteHardfork(Hardfork.Paris)) hold('difficulty', header.difficulty, 0n);
  else if (common.consensusAlgorithm() === 'ethash')
    hold('difficulty', header.difficulty, header.ethashCanonicalDifficulty(parent));
  header.validateGasLimit(parent);
  if (header.gasUsed > header.gasLimit)
    throw new Error(`its gasUsed ${header.gasUsed} is above its gasLimit ${header.gasLimit}`);
  if (common.isActivatedEIP(1559)) {
    const isFirst = common.hardforkBlock(Hardfork.London) === header.number;
    hold('baseFeePerGas', header.baseFeePerGas, isFirst ? common.param('initialBaseFee') : parent.calcNextBaseFee());
  }
  if (common.isActivatedEIP(4844)) hold('excessBlobGas', header.excessBlobGas, parent.calcNextExcessBlobGas(common));
}
