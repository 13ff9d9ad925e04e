export * from '@cairn/block-model';
