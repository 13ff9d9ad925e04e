import { Alert, Anchor, Button, Code, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useParams, useSearch } from 'wouter';
import type { Me } from '../api.ts';
import { Empty, Failure, PageHead, Waiting } from '../parts.tsx';
import { EarlierBlocks } from './explorer/earlier-blocks.tsx';
import { type Found, find } from './explorer/find.ts';
import { AccountView, BlockView, blockHashOf, TransactionView } from './explorer/views.tsx';

/** Blocks, transactions and accounts of a network, verified in the browser. */
export function ExplorerPage({ me }: { me: Me }) {
  const { tab: text = 'latest' } = useParams<{ tab?: string }>();
  const [, navigate] = useLocation();
  const named = new URLSearchParams(useSearch()).get('network');
  const network = me.networks.find(({ name }) => name === named)?.name ?? me.networks[0]?.name ?? '';
  const [typed, setTyped] = useState('');
  const addressOf = (thing: string, on = network) =>
    `/explorer/${encodeURIComponent(thing)}?${new URLSearchParams({ network: on })}`;
  const found = useQuery<Found | null, Error>({
    queryKey: ['explorer', network, text],
    queryFn: async () => (await find(network, text)) ?? null,
    retry: false,
    staleTime: 60_000,
  });
  const link = (thing: string, label = thing) => (
    <Anchor component={Link} href={addressOf(thing)} size="sm" ff="monospace" className="wrap-anywhere">
      {label}
    </Anchor>
  );
  return (
    <>
      <PageHead title="Explorer" text="Blocks, transactions and accounts. Your browser verifies each answer." />
      <Stack>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            navigate(addressOf(typed.trim() === '' ? 'latest' : typed.trim()));
          }}
        >
          <Group align="flex-end" gap="sm">
            <NativeSelect
              label="Network"
              data={me.networks.map(({ name }) => name)}
              value={network}
              onChange={(event) => navigate(addressOf('latest', event.currentTarget.value))}
            />
            <TextInput
              label="Block, transaction or address"
              placeholder="Number, 0x…; empty: the newest block"
              flex="1 1 18rem"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Button type="submit">Find</Button>
          </Group>
        </form>
        {found.isPending && <Waiting />}
        {found.error && <Failure error={found.error} />}
        {found.isSuccess &&
          (found.data === null ? (
            <Empty title="Not found">The network {network} has no such block, transaction or account.</Empty>
          ) : (
            <>
              <Verified found={found.data} />
              <View found={found.data} isNewest={text === 'latest'} link={link} />
              {text === 'latest' && found.data.kind === 'block' && (
                <EarlierBlocks network={network} block={found.data.block} link={link} />
              )}
            </>
          ))}
      </Stack>
    </>
  );
}

function Verified({ found }: { found: Found }) {
  const how = found.kind === 'account' ? 'by a Merkle proof from the state root' : 'by the roots of the header';
  return (
    <Alert color="teal" icon={<IconShieldCheck />} title="Verified" role="status">
      Recomputed in this browser, {how} of block <Code className="wrap-anywhere">{blockHashOf(found)}</Code>.
    </Alert>
  );
}

function View({
  found,
  isNewest,
  link,
}: {
  found: Found;
  isNewest: boolean;
  link: (text: string, label?: string) => React.ReactNode;
}) {
  switch (found.kind) {
    case 'block':
      return <BlockView found={found} isNewest={isNewest} link={link} />;
    case 'transaction':
      return <TransactionView found={found} link={link} />;
    case 'account':
      return <AccountView found={found} link={link} />;
  }
}
