import type { CID } from '@cairn/cid';

/** Something beside pins that holds DAGs, such as the file trees of accounts. */
export interface RootSource {
  /** Every root that is held now. A root written down before the call begins is among them. */
  roots(): AsyncIterable<CID>;
  /** The roots that one account holds. */
  rootsOf?(account: string): AsyncIterable<CID>;
  /** Bytes that count as held by an account. */
  bytesOf?(account: string): Promise<number>;
}
