import { type Hex, hexFromBytes, type Receipt, senderOf, type Transaction } from '@cairn/block-model';
import { Badge, Card, Code, Stack, Table, Text, Title } from '@mantine/core';
import { count, short, time } from '../../format.ts';
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
export function BlockView({ found: { block, receipts }, link }: ViewProps<'block'>) {
  const { header, transactions, withdrawals } = block;
  return (
    <Stack>
      <Card withBorder padding="md">
        <Title order={2} size="h4" mb="xs">
          Block {count(Number(header.number))}
        </Title>
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
      </Card>
      <Card withBorder padding="md">
        <Title order={2} size="h4" mb="xs">
          {count(transactions.length)} transactions
        </Title>
        {transactions.length > 0 && (
          <Table.ScrollContainer minWidth={640}>
            <Table verticalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  {['Hash', 'From', 'To', 'Value', 'Outcome'].map((title) => (
                    <Table.Th key={title}>{title}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {transactions.slice(0, shownTransactions).map((transaction, index) => (
                  <Table.Tr key={transaction.hash}>
                    <Table.Td>{link(transaction.hash, short(transaction.hash))}</Table.Td>
                    <Table.Td>{link(senderOf(transaction), short(senderOf(transaction)))}</Table.Td>
                    <Table.Td>
                      {transaction.to === null ? 'creation' : link(transaction.to, short(transaction.to))}
                    </Table.Td>
                    <Table.Td>{ether(transaction.value)}</Table.Td>
                    <Table.Td>
                      <Outcome receipt={receipts[index]} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        {transactions.length > shownTransactions && (
          <Text size="sm" c="dimmed">
            The first {shownTransactions} are shown.
          </Text>
        )}
      </Card>
    </Stack>
  );
}

/** Transaction with its logs. */
export function TransactionView({ found: { block, receipts, index }, link }: ViewProps<'transaction'>) {
  const transaction = block.transactions[index] as Transaction;
  const receipt = receipts[index];
  const gasBefore = index === 0 ? 0n : (receipts[index - 1]?.cumulativeGasUsed ?? 0n);
  const { input } = transaction;
  return (
    <Stack>
      <Card withBorder padding="md">
        <Title order={2} size="h4" mb="xs">
          Transaction
        </Title>
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
      </Card>
      <Logs receipt={receipt} link={link} />
    </Stack>
  );
}

function Logs({ receipt, link }: { receipt: Receipt | undefined } & Pick<ViewProps<'transaction'>, 'link'>) {
  const logs = receipt?.logs ?? [];
  return (
    <Card withBorder padding="md">
      <Title order={2} size="h4" mb="xs">
        {count(logs.length)} logs
      </Title>
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
    </Card>
  );
}

/** Account at the newest block. */
export function AccountView({ found: { header, address, state, code }, link }: ViewProps<'account'>) {
  const { account } = state;
  const delegate = delegateOf(code);
  const title = delegate !== undefined ? 'Delegated account' : code === '0x' ? 'Account' : 'Contract';
  return (
    <Card withBorder padding="md">
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
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
    </Card>
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
