import {
  ActionIcon,
  Anchor,
  Box,
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type SubmitEvent, useEffect, useState } from 'react';
import { taxpayersQuery, usePages, useTaxpayerName } from '../api/queries.ts';
import type { FoundReceipt } from '../api/shapes.ts';
import { SubmissionBadge } from '../parts/badges.tsx';
import { moment, money, typeName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { More } from '../parts/more.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { WideTable } from '../parts/wide-table.tsx';

/** What can be looked for, as it stands in the address: a search can be sent to somebody. */
export interface ReceiptSearch {
  readonly Reference?: string;
  readonly VerificationCode?: string;
  readonly Buyer?: string;
  readonly Amount?: string;
  readonly From?: string;
  readonly To?: string;
  readonly State?: string;
  readonly AuthorityDeviceId?: string;
  readonly TaxpayerId?: string;
}

const STATES = [
  { value: 'Submitted', label: 'Submitted' },
  { value: 'Pending', label: 'Waiting' },
  { value: 'Refused', label: 'Refused' },
  { value: 'Undeliverable', label: 'Undeliverable' },
];

const AMOUNT_DAYS = 31;

/** Days are those of the person who searches. */
function instantOf(date: string | undefined, plusDays = 0): string | undefined {
  if (date === undefined || date === '') return undefined;
  const start = new Date(`${date}T00:00:00`);
  start.setDate(start.getDate() + plusDays);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

function filterOf(search: ReceiptSearch) {
  const { From, To, Amount, ...rest } = search;
  const to = instantOf(To, 1);
  const earliest = new Date((to === undefined ? Date.now() : Date.parse(to)) - AMOUNT_DAYS * 86_400_000 + 60_000);
  const from = instantOf(From);
  const needsTime = Amount !== undefined && (from === undefined || Date.parse(from) < earliest.getTime());
  // Cut to the hour, so that the same search is the same question.
  earliest.setMinutes(59, 0, 0);
  return { ...rest, Amount, SealedFrom: needsTime ? earliest.toISOString() : from, SealedTo: to };
}

const CODE = /(?:^|\D)([0-9A-F]{4})-?([0-9A-F]{4})-?([0-9A-F]{4})-?([0-9A-F]{4})$/i;

/** One box for what people paste: a printed code, the address behind a QR code, or a reference. */
function readQuick(text: string): ReceiptSearch {
  const trimmed = text.trim();
  if (trimmed === '') return {};
  const qr = /\/\d{28}([0-9A-F]{16})$/i.exec(trimmed)?.[1];
  if (qr !== undefined) return { VerificationCode: qr.toUpperCase() };
  const code = CODE.exec(trimmed);
  if (code !== null && code[0].length === trimmed.length && trimmed.includes('-')) {
    return { VerificationCode: trimmed.toUpperCase() };
  }
  if (/^[0-9A-F]{16}$/i.test(trimmed)) return { VerificationCode: trimmed.toUpperCase() };
  return { Reference: trimmed };
}

export function ReceiptsPage() {
  const search: ReceiptSearch = useSearch({ strict: false });
  const receipts = usePages<FoundReceipt>(['live', 'receipts'], '/api/admin/receipts', 'Receipts', filterOf(search));
  const isFiltered = Object.values(search).some((value) => value !== undefined && value !== '');
  return (
    <Page title="Receipts" lead="Newest first. New ones appear by themselves.">
      <SearchBar search={search} />
      <Panel flush>
        {receipts.error !== null && <Failure error={receipts.error} onRetry={() => void receipts.refetch()} />}
        {receipts.items === undefined ? (
          receipts.error === null && <Waiting rows={6} />
        ) : receipts.items.length === 0 ? (
          <Empty icon="receipt" title={isFiltered ? 'Nothing found' : 'No receipt yet'}>
            {isFiltered ? (
              <>
                References are found by all of their letters, names by how they begin.{' '}
                <Anchor component={Link} to="/receipts" size="sm">
                  Show all
                </Anchor>
              </>
            ) : (
              <Anchor component={Link} to="/try" size="sm">
                Sign the first one
              </Anchor>
            )}
          </Empty>
        ) : (
          <ReceiptTable receipts={receipts.items} />
        )}
        <More {...receipts} />
      </Panel>
    </Page>
  );
}

function SearchBar({ search }: { readonly search: ReceiptSearch }) {
  const navigate = useNavigate();
  const { data: taxpayers = [] } = useQuery(taxpayersQuery);
  const [quick, setQuick] = useState(search.Reference ?? search.VerificationCode ?? '');
  const [draft, setDraft] = useState<ReceiptSearch>(search);
  const [isOpen, setOpen] = useState(
    Object.keys(search).some((key) => key !== 'Reference' && key !== 'VerificationCode'),
  );
  useEffect(() => {
    setDraft(search);
    setQuick(search.Reference ?? search.VerificationCode ?? '');
  }, [search]);
  const go = (next: ReceiptSearch) => {
    const given = Object.entries(next).filter(([, value]) => typeof value === 'string' && value.trim() !== '');
    void navigate({ to: '/receipts', search: Object.fromEntries(given) });
  };
  const set = (change: Partial<ReceiptSearch>) => setDraft((before) => ({ ...before, ...change }));
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { Reference: _reference, VerificationCode: _code, ...rest } = draft;
    go({ ...rest, ...readQuick(quick) });
  };
  return (
    <form onSubmit={submit} aria-label="Search receipts">
      <Stack gap="sm">
        <Group gap="xs">
          <TextInput
            style={{ flex: '1 1 240px' }}
            aria-label="Reference, verification code or QR content"
            placeholder="Reference, verification code or QR content"
            leftSection={<Icon name="search" size={16} />}
            rightSection={
              quick !== '' && (
                <ActionIcon variant="subtle" color="gray" aria-label="Clear" onClick={() => go({})}>
                  ×
                </ActionIcon>
              )
            }
            value={quick}
            onChange={(event) => setQuick(event.currentTarget.value)}
          />
          <Button type="submit">Search</Button>
          <Button variant="default" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            Filter
          </Button>
        </Group>
        {isOpen && (
          <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs">
            <TextInput
              label="From"
              type="date"
              value={draft.From ?? ''}
              onChange={(event) => set({ From: event.currentTarget.value })}
            />
            <TextInput
              label="To"
              type="date"
              value={draft.To ?? ''}
              onChange={(event) => set({ To: event.currentTarget.value })}
            />
            <NumberInput
              label="Amount"
              placeholder="last 31 days"
              hideControls
              decimalScale={2}
              value={draft.Amount ?? ''}
              onChange={(value) => set({ Amount: String(value) })}
            />
            <TextInput
              label="Buyer"
              placeholder="TIN or name"
              value={draft.Buyer ?? ''}
              onChange={(event) => set({ Buyer: event.currentTarget.value })}
            />
            <Select
              label="State"
              placeholder="Any"
              clearable
              data={STATES}
              value={draft.State ?? null}
              onChange={(value) => set({ State: value ?? '' })}
            />
            {taxpayers.length > 1 ? (
              <Select
                label="Taxpayer"
                placeholder="All"
                clearable
                searchable
                data={taxpayers.map(({ TaxpayerId, Name }) => ({ value: TaxpayerId, label: Name }))}
                value={draft.TaxpayerId ?? null}
                onChange={(value) => set({ TaxpayerId: value ?? '' })}
              />
            ) : (
              <NumberInput
                label="Device"
                placeholder="All"
                hideControls
                allowDecimal={false}
                value={draft.AuthorityDeviceId ?? ''}
                onChange={(value) => set({ AuthorityDeviceId: String(value) })}
              />
            )}
          </SimpleGrid>
        )}
      </Stack>
    </form>
  );
}

function ReceiptTable({ receipts }: { readonly receipts: readonly FoundReceipt[] }) {
  const nameOf = useTaxpayerName();
  return (
    <WideTable minWidth={680}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Receipt</Table.Th>
          <Table.Th visibleFrom="sm">Sealed</Table.Th>
          <Table.Th visibleFrom="sm">Device</Table.Th>
          <Table.Th visibleFrom="md">Buyer</Table.Th>
          <Table.Th ta="right">Total</Table.Th>
          <Table.Th visibleFrom="sm">State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {receipts.map(({ Receipt: receipt, SealedAt, Zone, State, WorstColour, TaxpayerId }) => (
          <Table.Tr key={`${receipt.AuthorityDeviceId} ${receipt.GlobalCounter}`}>
            <Table.Td>
              <Anchor
                component={Link}
                className="wrap-anywhere"
                to="/receipts/$deviceId/$globalCounter"
                params={{ deviceId: String(receipt.AuthorityDeviceId), globalCounter: String(receipt.GlobalCounter) }}
                fw={600}
                size="sm"
              >
                {receipt.Reference}
              </Anchor>
              <Text size="xs" c="dimmed">
                {typeName(receipt.Type)}
              </Text>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                {moment(SealedAt, Zone)}
              </Text>
            </Table.Td>
            <Table.Td style={{ whiteSpace: 'nowrap' }} visibleFrom="sm">
              {moment(SealedAt, Zone, true)}
            </Table.Td>
            <Table.Td visibleFrom="sm">
              {receipt.AuthorityDeviceId}
              <Text size="xs" c="dimmed" truncate maw={180}>
                {nameOf(TaxpayerId)}
              </Text>
            </Table.Td>
            <Table.Td maw={180} visibleFrom="md">
              <Text size="sm" truncate>
                {receipt.BuyerName ?? receipt.BuyerTIN ?? ''}
              </Text>
            </Table.Td>
            <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }} fw={600}>
              {money(receipt.TotalAmount, receipt.Currency)}
              <Box hiddenFrom="sm" mt={4}>
                <SubmissionBadge state={State} colour={WorstColour} />
              </Box>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <SubmissionBadge state={State} colour={WorstColour} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
