import { e2ePreset } from '../../jest.preset.mjs';

export default { ...e2ePreset, displayName: 'ipfs-peer service e2e' };
