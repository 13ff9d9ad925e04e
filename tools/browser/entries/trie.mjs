export * from '@cairn/trie';
