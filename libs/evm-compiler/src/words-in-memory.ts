import { type Emitter, local } from './emitter.ts';
import type { Item, VirtualStack } from './virtual-stack.ts';

const reversal = Uint8Array.from({ length: 16 }, (_, index) => 15 - index);

/** Four limbs of the 32 big-endian bytes at the local `at`, on the stack of the machine. */
export function readReversed(emitter: Emitter, offset: number): void {
  for (const half of [16, 0]) {
    for (const lane of [0, 1]) {
      emitter.get(local.at);
      emitter.prefixed(0xfd, 0); // v128.load
      emitter.out.u32(0);
      emitter.out.u32(offset + half);
      emitter.get(local.at);
      emitter.prefixed(0xfd, 0);
      emitter.out.u32(0);
      emitter.out.u32(offset + half);
      emitter.prefixed(0xfd, 13); // i8x16.shuffle
      emitter.out.bytes(reversal);
      emitter.prefixed(0xfd, 29); // i64x2.extract_lane
      emitter.out.u8(lane);
    }
  }
}

/** Writes an item as 32 big-endian bytes at the local `at`. */
export function writeReversed(emitter: Emitter, stack: VirtualStack, item: Item, offset: number): void {
  for (const [half, low] of [
    [16, 0],
    [0, 2],
  ] as const) {
    emitter.get(local.at);
    stack.limb(item, low);
    emitter.prefixed(0xfd, 18); // i64x2.splat
    stack.limb(item, low + 1);
    emitter.prefixed(0xfd, 30); // i64x2.replace_lane
    emitter.out.u8(1);
    stack.limb(item, low);
    emitter.prefixed(0xfd, 18);
    emitter.prefixed(0xfd, 13);
    emitter.out.bytes(reversal);
    emitter.prefixed(0xfd, 11); // v128.store
    emitter.out.u32(0);
    emitter.out.u32(offset + half);
  }
}
