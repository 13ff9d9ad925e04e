/** Most links of one block on a page. */
const linksMax = 200;
/** Most nested lists and maps. */
const depthMax = 64;

/** Link of a block to another one. */
export interface BlockLink {
  readonly cid: string;
  /** Name in a directory, or path of the fields within the block. Empty for parts of a file. */
  readonly name: string;
  /** Bytes of the linked DAG, where the block states them (dag-pb). */
  readonly bytes?: number;
}

interface ProtobufNode {
  readonly Links: readonly {
    readonly Hash: { readonly '/': string };
    readonly Name?: string;
    readonly Tsize?: number;
  }[];
}

/** Links in a block in the form of dag-json (https://ipld.io/specs/codecs/dag-json/spec/), in their order. */
export function linksOf(
  value: unknown,
  { isProtobuf }: { readonly isProtobuf: boolean },
): { readonly links: readonly BlockLink[]; readonly isCut: boolean } {
  const links = isProtobuf ? protobufLinks(value as ProtobufNode) : fieldLinks(value);
  return { links: links.slice(0, linksMax), isCut: links.length > linksMax };
}

function protobufLinks({ Links }: ProtobufNode): BlockLink[] {
  return Links.map(({ Hash, Name = '', Tsize }) => ({
    cid: Hash['/'],
    name: Name,
    ...(Tsize !== undefined && { bytes: Tsize }),
  }));
}

function fieldLinks(value: unknown): BlockLink[] {
  const links: BlockLink[] = [];
  const visit = (field: unknown, path: readonly string[]): void => {
    if (typeof field !== 'object' || field === null || path.length > depthMax || links.length > linksMax) return;
    const entries = Object.entries(field);
    const [first] = entries;
    // A map whose only entry is "/" with a text is a link; with a map, it is bytes.
    if (entries.length === 1 && first?.[0] === '/') {
      if (typeof first[1] === 'string') links.push({ cid: first[1], name: path.join('/') });
      return;
    }
    for (const [key, inner] of entries) visit(inner, [...path, key]);
  };
  visit(value, []);
  return links;
}
