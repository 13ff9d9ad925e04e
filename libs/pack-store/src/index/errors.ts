import { CairnError } from '@cairn/errors';

/** Thrown when a pack was deleted between its upload and the record of its blocks. The blocks were not stored. */
export class PackDeletedError extends CairnError<'PACK_DELETED'> {
  constructor(key: string) {
    super('PACK_DELETED', `The pack ${key} was deleted before its blocks were recorded.`, {
      hint: 'Add the content again.',
      details: { key },
    });
  }
}
