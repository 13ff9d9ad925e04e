import { Group, Loader, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { bytes, count, short } from '../../format.ts';
import { Copy, Failure } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

interface BlockLink {
  readonly cid: string;
  readonly name: string;
  readonly bytes?: number;
}

interface Links {
  readonly links: readonly BlockLink[];
  readonly isCut: boolean;
}

/** Blocks of a DAG, opened level by level. */
export function BlockTree({ root }: { root: string }) {
  return (
    <ul className="plain-list" style={{ margin: 0, padding: 0 }}>
      <Block root={root} link={{ cid: root, name: 'root' }} />
    </ul>
  );
}

function Block({ root, link }: { root: string; link: BlockLink }) {
  const [isOpen, setIsOpen] = useState(false);
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  const title = link.name || short(link.cid);
  return (
    <li>
      <Group gap={4} wrap="nowrap">
        <UnstyledButton aria-expanded={isOpen} aria-label={`Links of ${title}`} onClick={() => setIsOpen(!isOpen)}>
          <Icon size={16} />
        </UnstyledButton>
        {link.name !== '' && (
          <Text size="sm" className="wrap-anywhere">
            {link.name}
          </Text>
        )}
        <Text size="sm" ff="monospace" c="dimmed" title={link.cid}>
          {short(link.cid)}
        </Text>
        {link.bytes !== undefined && (
          <Text size="sm" c="dimmed">
            {bytes(link.bytes)}
          </Text>
        )}
        <Copy value={link.cid} label={`Copy the CID of ${title}`} />
      </Group>
      {isOpen && <LinksOf root={root} cid={link.cid} />}
    </li>
  );
}

function LinksOf({ root, cid }: { root: string; cid: string }) {
  const links = useApi<Links>(`files/${root}/links?of=${cid}`);
  if (links.data === undefined)
    return links.error ? <Failure error={links.error} /> : <Loader size="xs" role="img" aria-label="Loading" />;
  const { links: found, isCut } = links.data;
  if (found.length === 0)
    return (
      <Text size="sm" c="dimmed" ml="lg">
        No links: this block holds data only.
      </Text>
    );
  return (
    <ul className="trace-branch">
      {found.map((link, at) => (
        <Block key={at} root={root} link={link} />
      ))}
      {isCut && (
        <Text component="li" size="sm" c="dimmed">
          The first {count(found.length)} links are shown.
        </Text>
      )}
    </ul>
  );
}
