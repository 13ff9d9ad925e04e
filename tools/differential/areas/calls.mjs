import { callArea } from '../calls/area.mjs';

/** eth_call, eth_estimateGas and eth_createAccessList: random messages, overrides and blocks. */
export default callArea({
  name: 'calls',
  methods: ['eth_call', 'eth_estimateGas', 'eth_createAccessList'],
  // Ten times the gas limit of the blocks of that chain: the cap of the gateway.
  gasCap: 2_000_000_000,
  known: {},
});
