export { TestBeacon, type TestBeaconOptions, testClock, testNetwork, type UpdateOptions } from './test-beacon.ts';
