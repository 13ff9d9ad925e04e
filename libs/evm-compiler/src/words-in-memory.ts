import { type Emitter, local } from './emitter.ts';
import type { Item, VirtualStack } from './virtual-stack.ts';

/** Lanes of a shuffle that reverses 16 bytes. */
const reversal = Uint8Array.from({ length: 16 }, (_, index) => 15 - index);

/** Pushes four limbs: the 32 big-endian bytes at the local `at`. */
export function readReversed(emitter: Emitter, offset: number): void {
  for (const half of [16, 0]) {
    for (const lane of [0, 1] as const) {
      for (let operand = 0; operand < 2; operand++) {
        emitter.localGet(local.at);
        emitter.v128Load(offset + half);
      }
      emitter.i8x16Shuffle(reversal);
      emitter.i64x2ExtractLane(lane);
    }
  }
}

/** Writes an item as 32 big-endian bytes at the local `at`. */
export function writeReversed(emitter: Emitter, stack: VirtualStack, item: Item, offset: number): void {
  for (const [half, low] of [
    [16, 0],
    [0, 2],
  ] as const) {
    emitter.localGet(local.at);
    stack.limb(item, low);
    emitter.i64x2Splat();
    stack.limb(item, low + 1);
    emitter.i64x2ReplaceLane(1);
    stack.limb(item, low);
    emitter.i64x2Splat();
    emitter.i8x16Shuffle(reversal);
    emitter.v128Store(offset + half);
  }
}
