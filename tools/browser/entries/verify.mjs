export * from '@cairn/verify';
export * from '@cairn/verify/files';
