export * from '@cairn/unixfs';
