import { CairnError } from '@cairn/errors';

/** Thrown for a refused block. Earlier blocks stay imported. */
export class BlockRefusedError extends CairnError<'BLOCK_REFUSED'> {
  constructor(
    block: { readonly number: bigint | undefined; readonly hash: string | undefined },
    reason: string,
    cause?: unknown,
  ) {
    const name =
      block.number === undefined ? 'A block' : `Block ${block.number}${block.hash ? ` (${block.hash})` : ''}`;
    super('BLOCK_REFUSED', `${name} is refused: ${reason}.`, {
      hint: 'Earlier blocks stay imported. Check the file, or get it from another source.',
      details: { number: block.number?.toString(), hash: block.hash, reason },
      cause,
    });
  }
}

/** Thrown for a genesis that does not match its network or the store. */
export class GenesisError extends CairnError<'GENESIS_INVALID'> {
  constructor(reason: string) {
    super('GENESIS_INVALID', `The genesis cannot be used: ${reason}.`, {
      hint: 'Correct the genesis. For another genesis, rename the network, or remove its directory and import again.',
    });
  }
}

/** Thrown for an invalid list of networks. */
export class NetworksError extends CairnError<'NETWORKS_INVALID'> {
  constructor(file: string, problems: readonly string[]) {
    super(
      'NETWORKS_INVALID',
      `The networks in ${file} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
      {
        hint: 'Correct these entries and start again.',
        details: { file, problems },
      },
    );
  }
}

/** Thrown for a file of blocks that cannot be read. */
export class SourceError extends CairnError<'SOURCE_INVALID'> {
  constructor(file: string, reason: string, cause?: unknown) {
    super('SOURCE_INVALID', `${file} cannot be imported: ${reason}.`, {
      hint: 'Use a file from geth export, plain or gzipped, or an era1 file.',
      details: { file, reason },
      cause,
    });
  }
}
