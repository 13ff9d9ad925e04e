import { type Hex, hexFromBytes, type Receipt, senderOf, type Transaction } from '@cairn/block-model';
import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import { type Column, DataTable } from '../../data-table.tsx';
import { count, short, time } from '../../format.ts';
import { Section } from '../../parts.tsx';
import { ether, gwei } from './amounts.ts';
import { Facts } from './facts.tsx';
import type { Found } from './find.ts';

interface ViewProps<Kind extends Found['kind']> {
  readonly found: Extract<Found, { readonly kind: Kind }>;
  /** Link to another thing of the same network. */
  readonly link: (text: string, label?: string) => React.ReactNode;
}

const shownTransactions = 200;
const shownInput = 2000;

/** Block with its transactions. */
export function BlockView({
  found: { block, receipts },
  isNewest,
  link,
}: ViewProps<'block'> & { readonly isNewest: boolean }) {
  const { header, transactions, withdrawals } = block;
  return (
    <Stack>
      <Section
        title={`Block ${count(Number(header.number))}`}
        actions={
          <Group gap="md">
            {header.number > 0n && link(String(header.number - 1n), '← Before')}
            {!isNewest && link(String(header.number + 1n), 'After →')}
          </Group>
        }
      >
        <Facts
          rows={[
            ['Hash', header.hash],
            ['Parent', header.number === 0n ? 'none' : link(header.parentHash, short(header.parentHash, 20))],
            ['Made', time(Number(header.timestamp) * 1000)],
            ['Fee recipient', link(header.miner)],
            ['Gas used', `${count(Number(header.gasUsed))} of ${count(Number(header.gasLimit))}`],
            ['Base fee', header.baseFeePerGas === undefined ? 'none' : gwei(header.baseFeePerGas)],
            ['State root', header.stateRoot],
            ['Size', `${count(block.size)} bytes`],
            ['Withdrawals', count(withdrawals?.length ?? 0)],
          ]}
        />
      </Section>
      <Section
        title={transactions.length === 1 ? '1 transaction' : `${count(transactions.length)} transactions`}
        isFlush={transactions.length > 0}
        {...(transactions.length > shownTransactions && { text: `The first ${shownTransactions} are shown.` })}
      >
        {transactions.length > 0 && (
          <DataTable
            label="Transactions"
            rows={transactions.slice(0, shownTransactions).map((transaction, index) => ({
              transaction,
              receipt: receipts[index],
            }))}
            columns={transactionColumns(link)}
            keyOf={({ transaction }) => transaction.hash}
          />
        )}
      </Section>
    </Stack>
  );
}

interface ListedTransaction {
  readonly transaction: Transaction;
  readonly receipt: Receipt | undefined;
}

function transactionColumns(link: ViewProps<'block'>['link']): readonly Column<ListedTransaction>[] {
  return [
    { title: 'Hash', show: ({ transaction: { hash } }) => link(hash, short(hash)) },
    {
      title: 'From',
      show: ({ transaction }) => link(senderOf(transaction), short(senderOf(transaction))),
    },
    { title: 'To', show: ({ transaction: { to } }) => (to === null ? 'creation' : link(to, short(to))) },
    { title: 'Value', isNumber: true, show: ({ transaction }) => ether(transaction.value) },
    { title: 'Outcome', show: ({ receipt }) => <Outcome receipt={receipt} /> },
  ];
}

/** Transaction with its logs. */
export function TransactionView({ found: { block, receipts, index }, link }: ViewProps<'transaction'>) {
  const transaction = block.transactions[index] as Transaction;
  const receipt = receipts[index];
  const gasBefore = index === 0 ? 0n : (receipts[index - 1]?.cumulativeGasUsed ?? 0n);
  const { input } = transaction;
  return (
    <Stack>
      <Section title="Transaction">
        <Facts
          rows={[
            ['Hash', transaction.hash],
            ['Outcome', <Outcome key="outcome" receipt={receipt} />],
            ['Block', link(String(block.header.number), count(Number(block.header.number)))],
            ['Position', count(index)],
            ['From', link(senderOf(transaction))],
            ['To', transaction.to === null ? 'creates a contract' : link(transaction.to)],
            ['Value', ether(transaction.value)],
            ['Type', String(transaction.type)],
            ['Nonce', count(Number(transaction.nonce))],
            [
              'Gas used',
              `${count(Number((receipt?.cumulativeGasUsed ?? 0n) - gasBefore))} of ${count(Number(transaction.gas))}`,
            ],
            ['Gas price', gwei(transaction.gasPrice ?? transaction.maxFeePerGas ?? 0n)],
          ]}
        />
        <Text fw={600} mt="sm">
          Input
        </Text>
        <Code block tabIndex={0} className="wrap-anywhere" aria-label="Input">
          {input.slice(0, shownInput)}
          {input.length > shownInput && '…'}
        </Code>
      </Section>
      <Logs receipt={receipt} link={link} />
    </Stack>
  );
}

function Logs({ receipt, link }: { receipt: Receipt | undefined } & Pick<ViewProps<'transaction'>, 'link'>) {
  const logs = receipt?.logs ?? [];
  return (
    <Section title={logs.length === 1 ? '1 log' : `${count(logs.length)} logs`}>
      <Stack>
        {logs.map(({ address, topics, data }, index) => (
          <Facts
            key={String(index)}
            rows={[
              ['Contract', link(address)],
              ...topics.map((topic, place) => [`Topic ${place}`, topic] as const),
              ['Data', data.length > shownInput ? `${data.slice(0, shownInput)}…` : data],
            ]}
          />
        ))}
      </Stack>
    </Section>
  );
}

/** Account at the newest block. */
export function AccountView({ found: { header, address, state, code }, link }: ViewProps<'account'>) {
  const { account } = state;
  const delegate = delegateOf(code);
  const title = delegate !== undefined ? 'Delegated account' : code === '0x' ? 'Account' : 'Contract';
  return (
    <Section title={title}>
      <Facts
        rows={[
          ['Address', address],
          ['Balance', ether(account?.balance ?? 0n)],
          ['Nonce', count(Number(account?.nonce ?? 0n))],
          ['Code', code === '0x' ? 'none' : `${count((code.length - 2) / 2)} bytes`],
          ...(delegate === undefined ? [] : [['Delegates to', link(delegate)] as const]),
          ['Code hash', account === undefined ? 'none' : hexFromBytes(account.codeHash)],
          ['Storage root', account === undefined ? 'none' : hexFromBytes(account.storageRoot)],
          ['At block', link(String(header.number), count(Number(header.number)))],
        ]}
      />
      {account === undefined && (
        <Text size="sm" c="dimmed">
          The proof shows that the account does not exist at this block.
        </Text>
      )}
    </Section>
  );
}

/** Account whose code runs for a delegated account (EIP-7702). */
function delegateOf(code: Hex): Hex | undefined {
  return /^0xef0100[0-9a-f]{40}$/.test(code) ? `0x${code.slice(8)}` : undefined;
}

function Outcome({ receipt }: { receipt: Receipt | undefined }) {
  if (receipt?.status === undefined) return <Badge color="gray">unknown</Badge>;
  return receipt.status ? <Badge color="teal">succeeded</Badge> : <Badge color="red">failed</Badge>;
}

/** Hash of the block that a found thing was verified against. */
export function blockHashOf(found: Found): Hex {
  return found.kind === 'account' ? found.header.hash : found.block.header.hash;
}
