export * from '@cairn/cid';
