import { Select } from '@mantine/core';
import { ENDPOINT_STATES } from '../../../src/contract/shared/values.ts';
import { useTaxpayerChoices, useVendorChoices } from '../api/choices.ts';
import { StateBadge } from '../parts/badges.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { count, words } from '../parts/format.ts';
import { BillerLink, EndpointLink, TaxpayerLink, VendorLink } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';
import { useFilter } from '../parts/use-filter.ts';
import { useTimes } from '../parts/use-times.ts';
import { type EndpointInList, isMail, nameOf, ownerOf, useOwnAbout, useOwnerChoices } from './endpoint-fields.tsx';
import { NewEndpoint } from './new-endpoint.tsx';

type Filter = { TaxpayerId?: string; VendorId?: string; State?: (typeof ENDPOINT_STATES)[number] };

export function EndpointsPage() {
  const { filter, narrow, choice } = useFilter<Filter>('/endpoints');
  const { TaxpayerId, VendorId } = filter;
  const own = useOwnAbout();
  const about = own ?? (TaxpayerId ? `TaxpayerId ${TaxpayerId}` : VendorId ? `VendorId ${VendorId}` : null);
  const owners = useOwnerChoices();
  const isOfBiller = ownerOf(about).BillerCode !== null;
  return (
    <ListPage
      of="GET /api/admin/endpoints"
      items="Endpoints"
      given={{ query: filter }}
      search={filter}
      icon="endpoint"
      title="Endpoints"
      lead="Programs and people that are told what happens."
      actions={
        <>
          {own === null && (
            <Select
              label="About"
              placeholder="All"
              clearable
              searchable
              data={owners}
              value={about}
              onChange={(choice) => narrow({ ...ownerOf(choice) })}
            />
          )}
          <Select label="State" placeholder="Any" data={[...ENDPOINT_STATES]} {...choice('State')} />
          <NewEndpoint about={about} />
        </>
      }
      none="Nobody is told yet"
      hint={`Add the address of a program, which gets events as they happen${isOfBiller ? '' : ', or of a person, who gets an e-mail when there is an alert'}.`}
      keyOf={({ EndpointId }) => EndpointId}
      columns={[
        {
          name: 'Endpoint',
          cell: (endpoint) => (
            <WithNote note={noteOf(endpoint)}>
              <EndpointLink endpointId={endpoint.EndpointId}>{nameOf(endpoint)}</EndpointLink>
            </WithNote>
          ),
        },
        {
          name: 'About',
          of: 'GET /api/admin/taxpayers',
          cell: (endpoint) => <OwnerLink endpoint={endpoint} />,
          isText: true,
        },
        { name: 'Events', cell: behindText },
        { name: 'Last success', cell: ({ LastTakenAt }, { moment }) => moment(LastTakenAt), isLesser: true },
        { name: 'State', cell: (endpoint) => <StateWithReason endpoint={endpoint} />, isText: true },
      ]}
    />
  );
}

/** Who that is, and what a person is written to about. */
function noteOf({ Description, AlertKinds, ...endpoint }: EndpointInList): string {
  const kinds = isMail(endpoint) && (AlertKinds.map(words).join(', ') || 'Every alert');
  return [Description, kinds].filter(Boolean).join(': ');
}

export function OwnerLink({ endpoint: { TaxpayerId, VendorId, BillerCode } }: { readonly endpoint: EndpointInList }) {
  const owners = [...useTaxpayerChoices(), ...useVendorChoices()];
  const name = owners.find(({ value }) => value === TaxpayerId || value === VendorId)?.label ?? '…';
  if (BillerCode !== null) return <BillerLink code={BillerCode}>Payments of {BillerCode}</BillerLink>;
  if (TaxpayerId !== null) return <TaxpayerLink taxpayerId={TaxpayerId}>{name}</TaxpayerLink>;
  return VendorId === null ? 'The alerts of all' : <VendorLink vendorId={VendorId}>{name}</VendorLink>;
}

export function behindText({ NewestNumber, LastNumber }: EndpointInList): string {
  return NewestNumber > LastNumber ? `${count(NewestNumber - LastNumber)} behind` : 'up to date';
}

export function EndpointBadge({ endpoint }: { readonly endpoint: EndpointInList }) {
  if (endpoint.State === 'Paused') return <StateBadge color="red">Paused</StateBadge>;
  if (endpoint.State === 'Unconfirmed') return <StateBadge color="yellow">To be confirmed</StateBadge>;
  if (endpoint.FailedAttempts > 0) return <StateBadge color="yellow">Failing</StateBadge>;
  return <StateBadge color="seal">Active</StateBadge>;
}

function StateWithReason({ endpoint }: { readonly endpoint: EndpointInList }) {
  const { moment } = useTimes();
  const notes = [
    endpoint.PauseReason,
    endpoint.NextAttemptAt !== null && `sent again at ${moment(endpoint.NextAttemptAt, true)}`,
    endpoint.SetAsideCount > 0 && `${count(endpoint.SetAsideCount)} set aside`,
  ];
  return (
    <WithNote note={notes.filter(Boolean).join(', ')}>
      <EndpointBadge endpoint={endpoint} />
    </WithNote>
  );
}
