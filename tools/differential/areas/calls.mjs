import { callArea } from '../calls/area.mjs';

/** Compares eth_call, eth_estimateGas and eth_createAccessList with random messages, overrides and blocks. */
export default callArea({
  name: 'calls',
  methods: ['eth_call', 'eth_estimateGas', 'eth_createAccessList'],
  // Ten times the block gas limit of that chain: the gas cap of the gateway.
  gasCap: 2_000_000_000,
  known: {},
});
