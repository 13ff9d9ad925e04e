import { XMLParser } from 'fast-xml-parser';

/** An element: its text, or its children by name. Elements that repeat are lists. */
export type XmlElement = string | { readonly [name: string]: XmlElement | readonly XmlElement[] | undefined };

const repeated = new Set(['Contents', 'Error', 'Upload', 'Deleted']);

const parser = new XMLParser({
  ignoreDeclaration: true,
  parseTagValue: false,
  removeNSPrefix: true,
  // An error response has `Error` as its root.
  isArray: (name, path) => repeated.has(name) && String(path).includes('.'),
});

/** Parses a response of S3. Damaged text results in an empty element. */
export function parseXml(bytes: Uint8Array): XmlElement {
  try {
    return parser.parse(Buffer.from(bytes)) as XmlElement;
  } catch {
    return {};
  }
}

/** Returns the children of an element with this name. */
export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  const child = typeof element === 'object' ? element[name] : undefined;
  if (child === undefined) return [];
  return Array.isArray(child) ? child : [child as XmlElement];
}

/** Returns the text of a child, or undefined. */
export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  const [child] = childrenOf(element, name);
  return typeof child === 'string' ? child : undefined;
}

/** Escapes text for an element. Keys of this package need no escaping; upload names of a server may. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
