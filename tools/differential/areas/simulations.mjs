import { callArea } from '../calls/area.mjs';

/** Compares eth_simulateV1: random blocks of random transactions. */
export default callArea({
  name: 'simulations',
  methods: ['eth_simulateV1'],
  // geth's default, and the cap of the gateway for all transactions of a simulation.
  gasCap: 50_000_000,
  known: {},
});
