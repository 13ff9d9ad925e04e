import type { Block } from '@cairn/block-model';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../data-table.tsx';
import { age, count, short } from '../../format.ts';
import { Failure, Section, Waiting } from '../../parts.tsx';
import { ancestorsOf } from './find.ts';

/** Blocks before the newest one. Each was verified against the parent hash in the block after it. */
export function EarlierBlocks({
  network,
  block,
  link,
}: {
  network: string;
  block: Block;
  link: (text: string, label?: string) => React.ReactNode;
}) {
  const { data, error } = useQuery<readonly Block[], Error>({
    queryKey: ['explorer', network, 'before', block.header.hash],
    queryFn: () => ancestorsOf(network, block),
    retry: false,
    staleTime: 60_000,
  });
  const columns: readonly Column<Block>[] = [
    { title: 'Block', show: ({ header }) => link(String(header.number), count(Number(header.number))) },
    { title: 'Hash', show: ({ header }) => link(header.hash, short(header.hash)) },
    { title: 'Age', show: ({ header }) => age(Math.max(0, Date.now() / 1000 - Number(header.timestamp))) },
    { title: 'Transactions', isNumber: true, show: ({ transactions }) => count(transactions.length) },
    { title: 'Gas used', isNumber: true, show: ({ header }) => count(Number(header.gasUsed)) },
  ];
  return (
    <Section title="Blocks before it" isFlush>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Waiting />}
      {data !== undefined && (
        <DataTable label="Blocks before it" rows={data} columns={columns} keyOf={({ header }) => header.hash} />
      )}
    </Section>
  );
}
