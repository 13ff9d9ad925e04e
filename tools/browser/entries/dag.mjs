export * from '@cairn/dag';
