import { type KnownChain, knownChains } from '@cairn/block-model';
import { UsageError } from '../exit-codes.ts';

/** Authority for the head, in the form of the networks file. */
export type HeadAnswer =
  | { readonly trusted: true }
  | { readonly quorum: number }
  | { readonly beacon: readonly string[]; readonly checkpoint: string };

/** A known network that is read from upstreams. */
export interface NetworkAnswer {
  readonly name: KnownChain;
  readonly upstreams: readonly string[];
  readonly head: HeadAnswer;
}

const form = '<name>=<url>[,<url>…]';
const headForm = '<name>=trusted, <name>=quorum:<count> or <name>=<checkpoint>@<beacon url>';

/**
 * Parses the options `--network` and `--head`.
 * @throws USAGE_INVALID with the option and the expected form; the values may contain keys and are not repeated
 */
export function networkAnswers(networks: readonly string[], heads: readonly string[]): NetworkAnswer[] {
  const headOf = new Map(heads.map((text) => pair('--head', text, headForm)));
  const answers = networks.map((text) => {
    const [name, urls] = pair('--network', text, form);
    const head = headOf.get(name);
    headOf.delete(name);
    const upstreams = urls.split(',').map((url) => url.trim());
    return { name: knownName(name), upstreams, head: head === undefined ? defaultHead(upstreams) : headAnswer(head) };
  });
  const [left] = headOf.keys();
  if (left !== undefined) throw new UsageError(`--head: there is no --network ${JSON.stringify(left.slice(0, 40))}.`);
  return answers;
}

/** Several providers must agree; one alone is the operator's own node. */
export function defaultHead(upstreams: readonly string[]): HeadAnswer {
  return upstreams.length > 1 ? { quorum: 2 } : { trusted: true };
}

function headAnswer(text: string): HeadAnswer {
  if (text === 'trusted') return { trusted: true };
  const [, quorum] = /^quorum:(\d{1,2})$/.exec(text) ?? [];
  if (quorum !== undefined) return { quorum: Number(quorum) };
  const [, checkpoint, beacon] = /^(0x[0-9a-f]{64})@(.+)$/.exec(text) ?? [];
  if (checkpoint !== undefined && beacon !== undefined) return { beacon: beacon.split(','), checkpoint };
  throw new UsageError(`--head: expected ${headForm}.`);
}

function pair(option: string, text: string, expected: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw new UsageError(`${option}: expected ${expected}.`);
}

function knownName(name: string): KnownChain {
  const known = knownChains.find((chain) => chain === name);
  if (known !== undefined) return known;
  throw new UsageError(
    `--network: ${JSON.stringify(name.slice(0, 40))} is not one of ${knownChains.join(', ')}. Add other networks to networks.json.`,
  );
}
