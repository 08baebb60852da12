import { Anchor, Button, Group, Modal, Switch, Table, TagsInput, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import type { Taxpayer } from '../api/shapes.ts';
import { StateBadge } from '../parts/badges.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { More } from '../parts/more.tsx';
import { tell } from '../parts/notify.ts';
import { Page, Panel } from '../parts/panel.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { useMay } from '../shell/session.tsx';
import { TaxpayerPrinting } from './taxpayer-printing.tsx';

export function TaxpayersPage() {
  const { dateOnly } = useTimes();
  const mayEdit = useMay('admin');
  const taxpayers = useList(['taxpayers', 'pages'], 'GET /api/admin/taxpayers', 'Taxpayers', {});
  const [edited, setEdited] = useState<Taxpayer | 'new'>();
  const [printed, setPrinted] = useState<Taxpayer>();
  const [isOpen, { open, close }] = useDisclosure(false);
  const edit = (taxpayer: Taxpayer | 'new') => {
    setEdited(taxpayer);
    open();
  };
  return (
    <Page
      title="Taxpayers"
      lead="Each owns its devices, references and tokens, and sees nothing of the others."
      actions={
        mayEdit && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => edit('new')}>
            Add a taxpayer
          </Button>
        )
      }
    >
      <Panel flush>
        {taxpayers.error !== null && <Failure error={taxpayers.error} onRetry={() => void taxpayers.refetch()} />}
        {taxpayers.items === undefined ? (
          <Waiting />
        ) : taxpayers.items.length === 0 ? (
          <Empty icon="taxpayer" title="No taxpayer yet" />
        ) : (
          <Table.ScrollContainer minWidth={680}>
            <Table verticalSpacing="sm" horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>TIN</Table.Th>
                  <Table.Th>VAT number</Table.Th>
                  <Table.Th>Currencies</Table.Th>
                  <Table.Th>Since</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {taxpayers.items.map((taxpayer) => (
                  <Table.Tr key={taxpayer.TaxpayerId}>
                    <Table.Td fw={600}>{taxpayer.Name}</Table.Td>
                    <Table.Td>{taxpayer.TIN}</Table.Td>
                    <Table.Td>{taxpayer.VatNumber ?? 'not registered'}</Table.Td>
                    <Table.Td>{taxpayer.Currencies?.join(', ') ?? 'all'}</Table.Td>
                    <Table.Td style={{ whiteSpace: 'nowrap' }}>{dateOnly(taxpayer.CreatedAt)}</Table.Td>
                    <Table.Td>
                      {taxpayer.Suspended ? (
                        <StateBadge color="red">Suspended</StateBadge>
                      ) : (
                        <StateBadge color="seal">Active</StateBadge>
                      )}
                    </Table.Td>
                    <Table.Td>
                      <Group gap="sm" justify="flex-end" wrap="nowrap">
                        <Anchor component={Link} to="/devices" search={{ TaxpayerId: taxpayer.TaxpayerId }} size="sm">
                          Devices
                        </Anchor>
                        {mayEdit && (
                          <>
                            <Anchor
                              component={Link}
                              to="/tokens"
                              search={{ TaxpayerId: taxpayer.TaxpayerId }}
                              size="sm"
                            >
                              Tokens
                            </Anchor>
                            <Anchor
                              component="button"
                              size="sm"
                              onClick={() => setPrinted(taxpayer)}
                              aria-label={`Printing of ${taxpayer.Name}`}
                            >
                              Printing
                            </Anchor>
                            <Anchor
                              component="button"
                              size="sm"
                              onClick={() => edit(taxpayer)}
                              aria-label={`Edit ${taxpayer.Name}`}
                            >
                              Edit
                            </Anchor>
                          </>
                        )}
                      </Group>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        <More {...taxpayers} />
      </Panel>
      <Modal
        opened={isOpen}
        onClose={close}
        centered
        title={<Text fw={650}>{edited === 'new' ? 'Add a taxpayer' : 'Edit the taxpayer'}</Text>}
      >
        {edited !== undefined && <TaxpayerForm taxpayer={edited === 'new' ? undefined : edited} onDone={close} />}
      </Modal>
      <Modal
        opened={printed !== undefined}
        onClose={() => setPrinted(undefined)}
        centered
        title={<Text fw={650}>Printing of {printed?.Name}</Text>}
      >
        {printed !== undefined && <TaxpayerPrinting taxpayer={printed} onDone={() => setPrinted(undefined)} />}
      </Modal>
    </Page>
  );
}

/** Given to lines that come without one; all three or none. */
const NO_CODES = { Taxed: '', ZeroRated: '', Exempt: '' };
const HS_CODES = [
  ['Taxed', 'HS if taxed'],
  ['ZeroRated', 'HS at 0 %'],
  ['Exempt', 'HS if exempt'],
] as const;

function TaxpayerForm({ taxpayer, onDone }: { readonly taxpayer: Taxpayer | undefined; readonly onDone: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(taxpayer?.Name ?? '');
  const [tin, setTin] = useState(taxpayer?.TIN ?? '');
  const [vat, setVat] = useState(taxpayer?.VatNumber ?? '');
  const [currencies, setCurrencies] = useState<string[]>([...(taxpayer?.Currencies ?? [])]);
  const [codes, setCodes] = useState(taxpayer?.DefaultHsCodes ?? NO_CODES);
  const [isSuspended, setSuspended] = useState(taxpayer?.Suspended ?? false);
  const save = useMutation({
    mutationFn: () => {
      const body = {
        Name: name,
        TIN: tin,
        VatNumber: vat === '' ? null : vat,
        Currencies: currencies.length === 0 ? null : currencies,
        DefaultHsCodes: Object.values(codes).every((code) => code === '') ? null : codes,
      };
      return taxpayer === undefined
        ? call('POST /api/admin/taxpayers', { body })
        : call('PATCH /api/admin/taxpayers/:taxpayerId', {
            params: { taxpayerId: taxpayer.TaxpayerId },
            body: { ...body, Suspended: isSuspended },
          });
    },
    onSuccess: async () => {
      tell('Saved.');
      onDone();
      await client.invalidateQueries({ queryKey: ['taxpayers'] });
    },
  });
  return (
    <SendForm sending={save} button="Save">
      {(errorAt) => (
        <>
          <TextInput
            label="Name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorAt('Name')}
            data-autofocus
          />
          <TextInput
            label="TIN"
            description="Ten digits"
            required
            value={tin}
            onChange={(event) => setTin(event.currentTarget.value)}
            error={errorAt('TIN')}
          />
          <TextInput
            label="VAT number"
            description="Nine digits; without one no tax above 0 % is accepted"
            value={vat}
            onChange={(event) => setVat(event.currentTarget.value)}
            error={errorAt('VatNumber')}
          />
          <TagsInput
            label="Only these currencies"
            placeholder={currencies.length === 0 ? 'All current ones' : ''}
            value={currencies}
            onChange={(list) => setCurrencies(list.map((code) => code.toUpperCase()))}
            error={errorAt('Currencies')}
          />
          <Group grow align="flex-start" gap="xs">
            {HS_CODES.map(([field, label]) => (
              <TextInput
                key={field}
                label={label}
                value={codes[field]}
                onChange={(event) => setCodes({ ...codes, [field]: event.currentTarget.value.trim() })}
                error={errorAt(`DefaultHsCodes.${field}`)}
              />
            ))}
          </Group>
          {taxpayer !== undefined && (
            <Switch
              label="Suspended"
              description="Its tokens are refused until this is taken back"
              checked={isSuspended}
              onChange={(event) => setSuspended(event.currentTarget.checked)}
            />
          )}
        </>
      )}
    </SendForm>
  );
}
