export * from '@cairn/verify';
export * from '@cairn/verify/files';
export * from '@cairn/verify/provider';
