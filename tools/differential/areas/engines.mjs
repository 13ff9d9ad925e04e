import { startGateway } from '../../peers/cairn.mjs';
import { factsOf } from '../calls/area.mjs';
import { difference, send } from '../calls/compare.mjs';
import { createRequests } from '../calls/requests.mjs';
import { conformanceChain } from '../chain.mjs';

const casesPerRound = 40;
const methods = ['eth_call'];
/** Errors of the reference where geth returns a result or another text; the area `calls` compares those with geth. */
const ownErrors = { 'value overflow': 'The reference refuses a balance above 256 bits, which wraps in geth.' };

/** Compares the compiled engine with the reference, @ethereumjs/evm, behind two gateways. Needs no geth. */
export default {
  name: 'engines',
  missing: 'skipped: ../shared/conformance is missing',
  known: { ...ownErrors, 'time limit': 'The reference is slower and reaches the time limit of a call.' },
  async start() {
    const chain = conformanceChain();
    if (chain === undefined) return undefined;
    const [gateway, reference] = await Promise.all(
      ['compiled', 'ethereumjs'].map((engine) => startGateway(chain, { CAIRN_CALL_ENGINE: engine })),
    );
    const allBlocks = new Set(Array.from({ length: 55 }, (_, number) => number));
    const facts = await factsOf(chain, gateway.url, allBlocks);
    return { gateway, reference, facts, stop: () => Promise.all([gateway.stop(), reference.stop()]) };
  },
  async *round({ gateway, reference, facts }, random) {
    const next = createRequests(random, facts);
    for (let count = 0; count < casesPerRound; count++) {
      const request = next(methods);
      const [cairn, peer] = await Promise.all([gateway.url, reference.url].map((url) => send(url, request)));
      const found = differenceOf(request, cairn, peer);
      yield found === undefined ? undefined : { class: found, request, cairn, peer };
    }
  },
};

/**
 * Like {@link difference}, but two failures are always equal: each library words failures of precompiles differently.
 */
function differenceOf(request, cairn, peer) {
  const words = peer.error?.message ?? '';
  if (words in ownErrors) return words;
  if (/ran longer than/.test(words)) return 'time limit';
  if (cairn.error?.code === -32000 && peer.error?.code === -32000) return undefined;
  return difference(request, cairn, peer);
}
