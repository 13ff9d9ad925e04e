import type { NodeDescription } from '@cairn/peer-api';
import { cleanText } from './clean-text.ts';

/** Description of a node in the fields of Kubo's `id`. */
export interface DescribedNode {
  readonly ID: string;
  readonly PublicKey: string;
  readonly Addresses: readonly string[] | null;
  readonly AgentVersion: string;
  readonly Protocols: readonly string[] | null;
}

/** Kubo's value for a node that is not described. */
export const undescribedNode: DescribedNode = {
  ID: '',
  PublicKey: '',
  Addresses: null,
  AgentVersion: '',
  Protocols: null,
};

/** @param visible selects the addresses that the caller may see */
export function describedNode(
  { id, publicKey, addresses, agentVersion, protocols }: NodeDescription,
  visible: (addresses: readonly string[]) => readonly string[],
): DescribedNode {
  return {
    ID: id,
    PublicKey: publicKey,
    Addresses: [...visible(addresses)].sort(),
    AgentVersion: cleanText(agentVersion),
    Protocols: protocols.map(cleanText).sort(),
  };
}
