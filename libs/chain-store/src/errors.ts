import { CairnError } from '@cairn/errors';

/** A block was refused. What came before it stays. */
export class BlockRefusedError extends CairnError<'BLOCK_REFUSED'> {
  constructor(
    block: { readonly number: bigint | undefined; readonly hash: string | undefined },
    reason: string,
    cause?: unknown,
  ) {
    const name =
      block.number === undefined ? 'A block' : `Block ${block.number}${block.hash ? ` (${block.hash})` : ''}`;
    super('BLOCK_REFUSED', `${name} is refused: ${reason}.`, {
      hint: 'What was imported before it stays. Check the file, or take it from another source.',
      details: { number: block.number?.toString(), hash: block.hash, reason },
      cause,
    });
  }
}

/** The genesis is not what the network or the store says it is. */
export class GenesisError extends CairnError<'GENESIS_INVALID'> {
  constructor(reason: string) {
    super('GENESIS_INVALID', `The genesis cannot be used: ${reason}.`, {
      hint: 'Correct it; for another genesis give the network another name, or remove its directory and import again.',
    });
  }
}

/** The list of networks has a fault. */
export class NetworksError extends CairnError<'NETWORKS_INVALID'> {
  constructor(file: string, problems: readonly string[]) {
    super(
      'NETWORKS_INVALID',
      `The networks in ${file} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
      {
        hint: 'Correct them and start again.',
        details: { file, problems },
      },
    );
  }
}

/** A file of blocks cannot be read. */
export class SourceError extends CairnError<'SOURCE_INVALID'> {
  constructor(file: string, reason: string, cause?: unknown) {
    super('SOURCE_INVALID', `${file} cannot be imported: ${reason}.`, {
      hint: 'Give blocks as geth export writes them, plain or gzipped, or an era1 file.',
      details: { file, reason },
      cause,
    });
  }
}
