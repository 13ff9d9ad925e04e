import type { KeyPolicy } from '@cairn/auth';
import { createHome, type Gateway, startGateway, withAuth } from './gateway.ts';
import { sampleEntry } from './sample-network.ts';

/** Starts a gateway with the sample network, an empty second network, and one key per policy, whose name is its id. */
export async function startLimitedGateway(policies: Readonly<Record<string, KeyPolicy>>): Promise<Gateway> {
  const home = await createHome();
  await withAuth(home, async (auth) => {
    for (const [id, policy] of Object.entries(policies)) await auth.createKey('caller', { id, policy });
  });
  return await startGateway({
    home,
    networks: [
      { ...sampleEntry, requireFrom: false },
      { ...sampleEntry, name: 'second', hosts: ['second.example'], blocks: [] },
    ],
  });
}
