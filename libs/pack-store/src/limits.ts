const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits of one store; times in milliseconds. */
export const packLimits = {
  /** Bytes of blocks after which a pack closes. Larger packs cost fewer requests; smaller ones less memory and garbage. */
  packBytes: 16 * MiB,
  /** Largest setting of `packBytes`: a pack with its index is one PUT of at most 64 MiB. */
  packBytesMax: 62 * MiB,
  /** Blocks of a pack. With the next limit it keeps the index a block that every CAR reader accepts. */
  entriesMax: 16_384,
  /** Bytes of the index of a pack. Kubo refuses blocks above 1 MiB (2 MiB in newer versions). */
  indexBytesMax: 1000 * KiB,
  /** Bytes of a CID. Its digest has at most 128. */
  cidBytesMax: 160,
  /** Time that the oldest block of an open pack waits for others. */
  waitMs: 50,
  /** Pause without new blocks after which a pack that a flush waits for closes. */
  quietMs: 10,
  /** Flushes that close a pack when so many wait for it, so that many clients do not wait for the time. */
  flushesMax: 32,
  /** Packs that are uploaded concurrently. */
  uploadsMax: 4,
  /** Bytes of blocks in memory that are not durable; beyond it `add` waits. */
  pendingBytesMax: 96 * MiB,
  /**
   * Time after which a pack whose upload failed gets a new key before another attempt. Collection removes packs that the index
   * lacks, so its grace period must be longer than this time and that of the longest upload and `onPack` together.
   */
  resealMs: 600_000,
  /**
   * Smallest grace period of packs without live blocks and of packs without a row, in seconds: `resealMs`, and 20 minutes for
   * the longest upload with its retries and its record.
   */
  graceSecondsMin: 1800,
  /** Ranges with a smaller gap are read together. */
  gapBytesMax: 64 * KiB,
  /** Bytes of one request to read, unless a block is longer. */
  rangeBytesMax: 4 * MiB,
  /** First and largest read-ahead of a sequential reader. It doubles. */
  readAheadBytes: 512 * KiB,
  readAheadBytesMax: 4 * MiB,
  /** Memory of ranges that were read ahead. */
  windowBytesMax: 32 * MiB,
  /** Requests to read that run concurrently. */
  readsMax: 16,
  /** Bytes of the end of a pack that are read first to find its index: enough for 5,000 blocks. */
  tailBytes: 256 * KiB,
  /** Bytes that wait to be cached; beyond it blocks are not cached. */
  cacheQueueBytesMax: 16 * MiB,
  /** Bytes of one transaction of the cache: a few milliseconds. */
  cacheBatchBytes: 2 * MiB,
  /** Blocks that one transaction of the cache keeps for another round. */
  cacheMovesMax: 1000,
  /** Blocks whose reads are remembered, at about 100 bytes each. */
  cacheReadsMax: 200_000,
  /** Rows of blocks in memory, at about 500 bytes each. */
  recentRowsMax: 10_000,
} as const;
