import { GatewayError } from './errors.ts';

/** Characters of a DNS label (RFC 1035, 2.3.4). */
export const labelCharactersMax = 63;

/** Text of a domain without dots, which may be too long for a label. */
export function undotted(domain: string): string {
  return domain.replaceAll('-', '--').replaceAll('.', '-');
}

/** Writes a domain as one label: `en.wikipedia-on-ipfs.org` as `en-wikipedia--on--ipfs-org`. @throws GatewayError 400 */
export function inlineDnslink(domain: string): string {
  const label = undotted(domain);
  if (label.length > labelCharactersMax)
    throw new GatewayError(400, `DNSLink representation incompatible with DNS label length limit of 63: ${label}`);
  return label;
}

/** Reads a label of {@link inlineDnslink}. */
export function domainOfLabel(label: string): string {
  return label.replace(/--|-/g, (dashes) => (dashes === '--' ? '-' : '.'));
}
