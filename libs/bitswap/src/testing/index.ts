export { createMemoryNetwork, type Fate, type MemoryNetwork, type MemoryNetworkOptions } from './memory-network.ts';
