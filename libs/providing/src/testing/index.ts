export { describeProvideStore } from './describe-provide-store.ts';
export { FakeClock } from './fake-clock.ts';
export { MemoryProvideStore } from './memory-provide-store.ts';
export { SimulatedDht } from './simulated-dht.ts';
