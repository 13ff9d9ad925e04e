/** Bounds of what one request can cause. */
export const limits = {
  /** Characters of a request target: longer ones fill no header of a response. */
  targetCharactersMax: 16_384,
  /** Names of a path: each can cost a block read. */
  segmentsMax: 256,
  /** Bytes of a `_redirects` file (https://specs.ipfs.tech/http-gateways/web-redirects-file/). */
  redirectsBytesMax: 65_536,
  /** CIDs that a CAR without duplicates remembers. A larger DAG may repeat blocks. */
  rememberedCidsMax: 1_000_000,
  /** CIDs that one walk keeps open. */
  openCidsMax: 4_000_000,
  /** Levels of directories in a TAR: deeper ones attack the stack. */
  tarDepthMax: 256,
  /** Entries of the directories that a TAR has open: nested wide ones would fill the memory. */
  tarOpenEntriesMax: 200_000,
  /** Bytes of a document that its page shows: decoding more stops other requests. */
  previewBytesMax: 65_536,
  /** Bytes of a response that is kept in memory. */
  hotResponseBytesMax: 524_288,
  /** Bytes of such responses that are read at one time. Beyond it a response is sent without being kept. */
  collectedBytesMax: 16_777_216,
  /** Characters of host and target of such a response. */
  hotKeyCharactersMax: 1024,
  /** Bytes that decide a content type without a file name. */
  sniffedBytes: 512,
} as const;
